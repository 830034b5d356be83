#include "out/alert_json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <time.h>

#include "base/time.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

const char *alert_unit(enum check_unit u)
{
	switch (u) {
	case UNIT_S: return "s";
	case UNIT_COUNT: return "";
	case UNIT_BLOCKS: return "blocks";
	case UNIT_PERCENT: return "%";
	}
	return "";
}

/* Unknown is null: cJSON prints NaN so, but not infinity. */
static bool number(cJSON *o, const char *key, double v)
{
	return isfinite(v) ? cJSON_AddNumberToObject(o, key, v) != NULL : cJSON_AddNullToObject(o, key) != NULL;
}

static bool text(cJSON *o, const char *key, const char *s)
{
	return cJSON_AddStringToObject(o, key, s) != NULL;
}

static bool when(cJSON *o, const char *key, uint64_t wall)
{
	time_t s = (time_t)(wall / NS_S);
	char out[40];
	struct tm tm;

	return gmtime_r(&s, &tm) && strftime(out, sizeof(out), "%Y-%m-%dT%H:%M:%SZ", &tm) && text(o, key, out);
}

static bool fill(cJSON *o, const struct alert_event *e, enum level state, const char *location)
{
	const struct check_info *info = check_info(e->check);

	return text(o, "state", level_word(state)) && text(o, "was", level_word(e->before)) &&
	       cJSON_AddBoolToObject(o, "resolved", state == LEVEL_OK) && text(o, "node", e->name) &&
	       text(o, "check", info->name) && text(o, "text", e->text) && number(o, "value", e->value) &&
	       number(o, "limit", e->limit) && text(o, "unit", alert_unit(info->unit)) && when(o, "since", e->since_wall) &&
	       when(o, "time", e->wall) && number(o, "count", e->count) && (!e->chain[0] || text(o, "chain", e->chain)) &&
	       (!location || text(o, "location", location)) && text(o, "program", "chaintop " PACKAGE_VERSION);
}

enum status alert_json(struct buf *out, const struct alert_event *e, enum level state, const char *location)
{
	cJSON *o = cJSON_CreateObject();
	char *s = o && fill(o, e, state, location) ? cJSON_PrintUnformatted(o) : NULL;
	enum status st = s ? buf_adds(out, s) : ST_NOMEM;

	cJSON_free(s);
	cJSON_Delete(o);
	return st;
}
