#include "rewind.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"

enum { STAMP = 20, KEPT_MAX = 1000 };

/* What the short thread does: the folder, the report, what is too old; then the recorder's file begins. */
struct job {
	struct recorder *r;
	char dir[400], file[512], report[1024]; /* report: "" for none */
	uint64_t keep; /* incidents; 0: none is removed */
	uint64_t before_ns, mono, wall;
	bool once; /* the file ends at once */
};

bool rewind_wanted(const struct conf *c)
{
	return c->rewind > 0 || c->incidents > 0;
}

void rewind_dir(char *out, size_t size)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (xdg && xdg[0] == '/' && strlen(xdg) + 10 < size)
		snprintf(out, size, "%s/chaintop", xdg);
	else if (home && home[0] == '/' && strlen(home) + 24 < size)
		snprintf(out, size, "%s/.local/state/chaintop", home);
	else
		snprintf(out, size, "/tmp");
}

void rewind_start(struct rewind *w, struct recorder *r, const struct conf *c)
{
	*w = (struct rewind){ .state = REWIND_RING, .r = r, .keep = c->incidents, .location = c->location };
	w->incident_pause_ns = INCIDENT_PAUSE_S * NS_S;
	rewind_dir(w->dir, sizeof(w->dir));
}

/* ---- the short thread ---- */

/* All folders of the path; 0700, as XDG wants it. */
bool rewind_make_dir(const char *dir)
{
	char path[400];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool is_incident(const char *name)
{
	size_t n = strlen(name);

	return n == strlen("incident-20261130T155007Z.ct") && strncmp(name, "incident-", 9) == 0 &&
	       strcmp(name + n - 4, "Z.ct") == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void remove_one(const char *dir, const char *name)
{
	char path[700];
	int stem = snprintf(path, sizeof(path), "%s/%s", dir, name) - 3;

	(void)unlink(path);
	snprintf(path + stem, sizeof(path) - (size_t)stem, ".md");
	(void)unlink(path);
}

/* Room for one more: the oldest go, their names being times. */
static void remove_old(const char *dir, uint64_t keep)
{
	char *name[KEPT_MAX];
	unsigned n = 0, gone = 0;
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL && n < KEPT_MAX) {
		if (is_incident(e->d_name) && (name[n] = strdup(e->d_name)) != NULL)
			n++;
	}
	if (d)
		closedir(d);
	qsort(name, n, sizeof(name[0]), by_name);
	for (; n - gone >= keep && gone < n; gone++)
		remove_one(dir, name[gone]);
	for (unsigned i = 0; i < n; i++)
		free(name[i]);
}

static void write_report(const struct job *j)
{
	char path[520];
	FILE *f;

	snprintf(path, sizeof(path), "%.*s.md", (int)strlen(j->file) - 3, j->file);
	f = fopen(path, "wx");
	if (!f || fputs(j->report, f) < 0 || fflush(f) != 0)
		log_msg(LOG_ERROR, "incident: %s: %s", path, strerror(errno));
	if (f)
		fclose(f);
}

static void *job_main(void *arg)
{
	struct job *j = arg;

	if (!rewind_make_dir(j->dir))
		log_msg(LOG_ERROR, "recording: %s: %s", j->dir, strerror(errno));
	if (j->keep)
		remove_old(j->dir, j->keep);
	if (j->report[0])
		write_report(j);
	recorder_begin(j->r, j->file, j->before_ns, j->mono, j->wall);
	if (j->once)
		recorder_end(j->r, j->mono, j->wall);
	free(j);
	return NULL;
}

static void join(struct rewind *w)
{
	if (w->threaded)
		pthread_join(w->thread, NULL);
	w->threaded = false;
}

/* ---- beginning ---- */

static void stamp(char out[STAMP], uint64_t wall)
{
	time_t s = (time_t)(wall / NS_S);
	struct tm tm;

	if (!gmtime_r(&s, &tm) || !strftime(out, STAMP, "%Y%m%dT%H%M%SZ", &tm))
		snprintf(out, STAMP, "unknown");
}

/* "ethereum", "chain-4153": of the chain that is shown. */
static void chain_word(const struct model *m, char *out, size_t size)
{
	const struct chain *c = model_chain(m);
	size_t n = 0;

	for (const char *s = c ? c->name : "chaintop"; *s && n + 1 < size; s++) {
		if (isalnum((unsigned char)*s))
			out[n++] = (char)tolower((unsigned char)*s);
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	out[n] = '\0';
}

static struct job *job_new(struct rewind *w, const char *word, uint64_t mono, uint64_t wall)
{
	struct job *j = calloc(1, sizeof(*j));
	char when[STAMP];

	if (!j)
		return NULL;
	stamp(when, wall);
	snprintf(w->file, sizeof(w->file), "%s/%s-%s.ct", w->dir, word, when);
	snprintf(j->dir, sizeof(j->dir), "%s", w->dir);
	snprintf(j->file, sizeof(j->file), "%s", w->file);
	j->r = w->r;
	j->mono = mono;
	j->wall = wall;
	return j;
}

static bool run(struct rewind *w, struct job *j, enum rewind_state state)
{
	struct recorder_stats s;
	sigset_t all, old;

	if (!j)
		return false;
	recorder_stats(w->r, &s);
	join(w);
	w->begun = s.begun;
	w->refused = s.refused;
	w->had_ns = j->before_ns && j->before_ns < s.ring_ns ? j->before_ns : s.ring_ns;
	w->opened = w->closing = false;
	w->told = j->once;
	w->since_mono = j->mono;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->threaded = pthread_create(&w->thread, NULL, job_main, j) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!w->threaded) {
		free(j);
		return false;
	}
	w->state = state;
	return true;
}

static void span(char *out, size_t size, uint64_t ns)
{
	uint64_t s = ns / NS_S;

	if (s < 60)
		snprintf(out, size, "%u s", (unsigned)s);
	else if (s < 3600)
		snprintf(out, size, "%um%02us", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(out, size, "%uh%02um", (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
}

/* ~ for the home folder. */
static const char *short_path(const struct rewind *w, char out[512])
{
	const char *home = getenv("HOME");
	size_t n = home ? strlen(home) : 0;

	if (n > 1 && strncmp(w->file, home, n) == 0 && w->file[n] == '/')
		snprintf(out, 512, "~%s", w->file + n);
	else
		snprintf(out, 512, "%s", w->file);
	return out;
}

static void begin_user(struct rewind *w, const struct model *m, bool once, uint64_t mono, uint64_t wall)
{
	char word[40];
	struct job *j;

	chain_word(m, word, sizeof(word));
	j = job_new(w, word, mono, wall);
	if (j)
		j->once = once;
	if (!run(w, j, REWIND_USER))
		snprintf(w->say, sizeof(w->say), "cannot record: no memory");
	w->closing = once;
}

void rewind_key(struct rewind *w, const struct model *m, uint64_t mono, uint64_t wall)
{
	switch (w->state) {
	case REWIND_OFF:
		snprintf(w->say, sizeof(w->say), "nothing is kept to record: --rewind 10m keeps the last ten minutes");
		break;
	case REWIND_RING:
		begin_user(w, m, false, mono, wall);
		break;
	case REWIND_USER:
		w->closing = true;
		break;
	case REWIND_INCIDENT:
		snprintf(w->say, sizeof(w->say), "an incident is being recorded; R again in %u s",
			 (unsigned)((w->until_mono > mono ? w->until_mono - mono : 0) / NS_S) + 1);
		break;
	}
}

void rewind_save(struct rewind *w, const struct model *m, uint64_t mono, uint64_t wall)
{
	if (w->state == REWIND_RING)
		begin_user(w, m, true, mono, wall);
}

/* ---- incidents ---- */

static void report(struct job *j, const struct rewind *w, const struct alert_event *e)
{
	char now[40] = "", since[40] = "", value[40], limit[40], place[160] = "";
	const char *name = strrchr(j->file, '/') + 1;
	time_t a = (time_t)(e->wall / NS_S), b = (time_t)(e->since_wall / NS_S);
	struct tm tm;

	if (gmtime_r(&a, &tm))
		strftime(now, sizeof(now), "%Y-%m-%d %H:%M:%S", &tm);
	if (gmtime_r(&b, &tm))
		strftime(since, sizeof(since), "%H:%M:%S", &tm);
	if (w->location)
		utf8_clean(place, sizeof(place), w->location, strlen(w->location));
	snprintf(j->report, sizeof(j->report),
		 "# %s UTC: %s %s %s\n\n%s\n\n- since %s UTC, value %s, limit %s, time %u since the start%s%s\n"
		 "- recording: %s, from 2 min before (or as far as was known) to 1 min after\n- `chaintop replay %s --at %s`\n",
		 now, level_word(e->level), e->name, check_info(e->check)->name, e->text, since,
		 check_value(value, sizeof(value), check_info(e->check)->unit, e->value),
		 check_value(limit, sizeof(limit), check_info(e->check)->unit, e->limit), e->count,
		 place[0] ? ", at " : "", place, name, name, since);
}

static void begin_incident(struct rewind *w, const struct alert_event *e, uint64_t mono, uint64_t wall)
{
	struct job *j = job_new(w, "incident", mono, wall);

	if (j) {
		report(j, w, e);
		j->keep = w->keep;
		j->before_ns = INCIDENT_BEFORE_S * NS_S;
	}
	if (!run(w, j, REWIND_INCIDENT))
		return;
	w->until_mono = mono + INCIDENT_AFTER_S * NS_S;
	w->next_mono = mono + w->incident_pause_ns;
}

/* What is critical is marked in any recording that is under way. */
static void look_for_incidents(struct rewind *w, const struct model *m, uint64_t mono, uint64_t wall)
{
	struct alert_event e;
	enum level level;

	while (model_alert_next(m, &w->cursor, &e)) {
		if (!alert_seen_from(&e, LEVEL_CRIT, &level) || level != LEVEL_CRIT)
			continue;
		if (w->state == REWIND_RING && w->keep && mono >= w->next_mono)
			begin_incident(w, &e, mono, wall);
		if (w->state == REWIND_USER || w->state == REWIND_INCIDENT)
			recorder_mark(w->r, &(struct mark){ .kind = MARK_USER, .wall = wall });
	}
}

/* ---- what became of it ---- */

static void opened(struct rewind *w, const char *what)
{
	char path[512], had[24];

	w->opened = true;
	w->begun++;
	span(had, sizeof(had), w->had_ns);
	snprintf(w->say, sizeof(w->say), "%s %.150s, with the %s before", what, short_path(w, path), had);
}

static void ended(struct rewind *w, const struct recorder_stats *s, uint64_t mono)
{
	char path[512], took[24];

	span(took, sizeof(took), mono - w->since_mono + w->had_ns);
	snprintf(w->say, sizeof(w->say), "saved %.150s %s %.1f MiB", short_path(w, path), took, (double)s->bytes / (1 << 20));
	log_msg(LOG_INFO, "recording: %s", w->say);
	w->state = REWIND_RING;
}

void rewind_tick(struct rewind *w, const struct model *m, uint64_t mono, uint64_t wall)
{
	struct recorder_stats s;

	if (w->state == REWIND_OFF)
		return;
	look_for_incidents(w, m, mono, wall);
	if (w->state == REWIND_RING)
		return;
	recorder_stats(w->r, &s);
	if (s.refused != w->refused) {
		w->refused = s.refused;
		snprintf(w->say, sizeof(w->say), "cannot record: %s; view 8 has the log",
			 s.failing == ST_USAGE ? "this second has a file already" : status_word(s.failing));
		w->state = REWIND_RING;
		return;
	}
	if (!w->opened && s.begun != w->begun)
		opened(w, w->state == REWIND_INCIDENT ? "critical: recording" : "recording");
	w->closing |= w->state == REWIND_INCIDENT && mono >= w->until_mono;
	/* Not before it has begun: the beginning comes from another thread. */
	if (w->opened && w->closing && !w->told) {
		recorder_end(w->r, mono, wall);
		w->told = true;
		return;
	}
	if (w->opened && w->closing && !s.open)
		ended(w, &s, mono);
}

char *rewind_word(const struct rewind *w, uint64_t mono, char *out, size_t size)
{
	struct recorder_stats s;
	uint64_t t;

	out[0] = '\0';
	if (w->state != REWIND_USER && w->state != REWIND_INCIDENT)
		return out;
	recorder_stats(w->r, &s);
	t = (mono - w->since_mono + w->had_ns) / NS_S;
	snprintf(out, size, "REC %02u:%02u:%02u %.1f MiB%s", (unsigned)(t / 3600), (unsigned)(t / 60 % 60), (unsigned)(t % 60),
		 (double)s.bytes / (1 << 20), s.failing != ST_OK && s.open ? ", the disk takes nothing" : "");
	return out;
}

void rewind_stop(struct rewind *w)
{
	join(w);
	w->state = REWIND_OFF;
}
