#include "cmd/ping_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/time.h"
#include "eth/chains.h"

static const struct {
	const char *name, *key, *note;
} phases[PING_PHASES] = {
	[PING_DNS] = { "DNS", "dns", "" },
	[PING_TCP] = { "TCP", "tcp", "" },
	[PING_TLS] = { "TLS", "tls", "" },
	[PING_UPGRADE] = { "upgrade", "upgrade", "" },
	[PING_FIRST] = { "first byte", "first_byte", "" },
	[PING_BODY] = { "body", "body", "" },
	[PING_TOTAL] = { "total", "total", "   connect and ask" },
	[PING_AGAIN] = { "again", "again", "   on the open connection: the round trip" },
};

enum status ping_result_init(struct ping_result *r, const struct url *u, unsigned rounds)
{
	*r = (struct ping_result){ .url = u, .via = u->scheme, .rounds = rounds };
	for (unsigned i = 0; i < PING_PHASES; i++) {
		r->ns[i] = calloc(rounds, sizeof(*r->ns[i]));
		if (!r->ns[i]) {
			ping_result_fini(r);
			return ST_NOMEM;
		}
	}
	return ST_OK;
}

void ping_result_fini(struct ping_result *r)
{
	for (unsigned i = 0; i < PING_PHASES; i++)
		free(r->ns[i]);
	memset(r->ns, 0, sizeof(r->ns));
}

void ping_add(struct ping_result *r, enum ping_phase p, uint64_t ns)
{
	if (r->n[p] < r->rounds)
		r->ns[p][r->n[p]++] = ns;
}

void ping_add_error(struct ping_result *r, const struct err *e)
{
	unsigned i = 0;

	while (i < r->n_errors && (r->errors[i].e.code != e->code || strcmp(r->errors[i].e.text, e->text) != 0))
		i++;
	if (i == PING_ERRORS)
		i--; /* so many kinds: the last one stands for the rest */
	if (i == r->n_errors)
		r->errors[r->n_errors++] = (struct ping_error){ .e = *e };
	r->errors[i].n++;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t ping_percentile(struct ping_result *r, enum ping_phase p, double at)
{
	unsigned rank = (unsigned)ceil(at / 100 * r->n[p]);

	if (!r->n[p])
		return UINT64_MAX;
	qsort(r->ns[p], r->n[p], sizeof(*r->ns[p]), compare);
	return r->ns[p][rank ? rank - 1 : 0];
}

/* Three digits are enough; below 10 ms the third one counts. */
static const char *ms_text(char *out, size_t size, uint64_t ns)
{
	if (ns < 10 * NS_MS)
		snprintf(out, size, "%.3f ms", (double)ns / 1e6);
	else
		time_latency(out, size, ns);
	return out;
}

static void print_head(FILE *f, const struct ping_result *r)
{
	const struct chain_info *c = chain_find(r->chain);
	char show[64];

	url_show(show, sizeof(show), r->url);
	fprintf(f, "%s%s%s %s: %u of %u answered", r->url->name, r->url->name[0] ? "  " : "", url_via(r->via), show, r->answered,
		r->done);
	if (r->chain_known && c->kind == CHAIN_DEV)
		fprintf(f, ", %s", c->name); /* it has the number in it */
	else if (r->chain_known)
		fprintf(f, ", chain %" PRIu64 "%s%s", r->chain, c->id ? " " : "", c->id ? c->name : "");
	fprintf(f, "\n");
}

void ping_print(FILE *f, struct ping_result *r)
{
	char text[3][40];

	print_head(f, r);
	if (r->answered)
		fprintf(f, "%-10s %10s %10s %10s\n", "", "min", "p50", "max");
	for (unsigned i = 0; i < PING_PHASES; i++) {
		if (!r->n[i])
			continue;
		for (unsigned k = 0; k < 3; k++)
			ms_text(text[k], sizeof(text[k]), ping_percentile(r, (enum ping_phase)i, 50.0 * k));
		fprintf(f, "%-10s %10s %10s %10s%s\n", i == PING_TCP && r->via == URL_IPC ? "connect" : phases[i].name, text[0],
			text[1], text[2], phases[i].note);
	}
	for (unsigned i = 0; i < r->n_errors; i++) {
		const struct ping_error *x = &r->errors[i];

		fprintf(f, "%u failed: %s%s%s\n", x->n, x->e.text, x->e.cure[0] ? "; try: " : "", x->e.cure);
	}
}

/* ---- JSON ---- */

/* To a µs. */
static double ms_of(uint64_t ns)
{
	return round((double)ns / 1e3) / 1e3;
}

static bool add_phases(cJSON *to, struct ping_result *r)
{
	static const char *const name[] = { "min", "p50", "max" };
	cJSON *all = cJSON_AddObjectToObject(to, "ms"), *one;
	bool ok = all;

	for (unsigned i = 0; i < PING_PHASES && ok; i++) {
		if (!r->n[i])
			continue;
		one = cJSON_AddObjectToObject(all, phases[i].key);
		ok = one && cJSON_AddNumberToObject(one, "n", r->n[i]);
		for (unsigned k = 0; k < 3 && ok; k++)
			ok = cJSON_AddNumberToObject(one, name[k], ms_of(ping_percentile(r, (enum ping_phase)i, 50.0 * k)));
	}
	return ok;
}

static bool add_errors(cJSON *to, const struct ping_result *r)
{
	cJSON *all = cJSON_AddArrayToObject(to, "errors"), *one;
	bool ok = all;

	for (unsigned i = 0; i < r->n_errors && ok; i++) {
		const struct ping_error *x = &r->errors[i];

		one = cJSON_CreateObject();
		ok = one && cJSON_AddItemToArray(all, one) && cJSON_AddStringToObject(one, "code", status_word(x->e.code)) &&
		     cJSON_AddNumberToObject(one, "n", x->n) && cJSON_AddStringToObject(one, "text", x->e.text) &&
		     cJSON_AddStringToObject(one, "cure", x->e.cure);
	}
	return ok;
}

static bool add_result(cJSON *list, struct ping_result *r)
{
	cJSON *o = cJSON_CreateObject();
	char show[64];

	url_show(show, sizeof(show), r->url);
	return o && cJSON_AddItemToArray(list, o) &&
	       cJSON_AddStringToObject(o, "node", r->url->name[0] ? r->url->name : show) &&
	       cJSON_AddStringToObject(o, "via", url_via(r->via)) && cJSON_AddStringToObject(o, "address", show) &&
	       cJSON_AddNumberToObject(o, "rounds", r->done) && cJSON_AddNumberToObject(o, "answered", r->answered) &&
	       (r->chain_known ? cJSON_AddNumberToObject(o, "chain_id", (double)r->chain) :
				 cJSON_AddNullToObject(o, "chain_id")) &&
	       add_phases(o, r) && add_errors(o, r);
}

enum status ping_print_json(FILE *f, struct ping_result *r, unsigned n)
{
	cJSON *all = cJSON_CreateObject(), *list = all ? cJSON_AddArrayToObject(all, "endpoints") : NULL;
	bool ok = list;
	char *text = NULL;

	for (unsigned i = 0; i < n && ok; i++)
		ok = add_result(list, &r[i]);
	if (ok)
		text = cJSON_PrintUnformatted(all);
	if (text)
		fprintf(f, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(all);
	return text ? ST_OK : ST_NOMEM;
}
