/* Fuzz target of net/url: any word is parsed or refused; what is shown holds no secret and no control. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *word = malloc(size + 1), show[300];
	struct url u, c;
	struct err e = {0};

	memcpy(word, data, size);
	word[size] = 0;
	if (url_parse(&u, word, &e) != ST_OK) {
		if (e.code != ST_USAGE || !e.text[0] || u.target || u.user || u.pass)
			abort();
	} else {
		if (url_copy(&c, &u) != ST_OK || !u.target)
			abort();
		url_show(show, sizeof(show), &u);
		for (const char *p = show; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				abort();
		for (const char *p = u.target; *p; p++)
			if (*p == '\r' || *p == '\n')
				abort();
		url_redact(&c, word);
		/* Below 4 bytes only whole words are hidden; stars are what short ones become. */
		if (u.scheme != URL_IPC && u.scheme != URL_RECORDING && strlen(u.target) >= 4 &&
			!strchr(u.target, '*') && strstr(word, u.target))
			abort();
		(void)url_is_local(&c);
		url_fini(&c);
	}
	url_fini(&u);
	free(word);
	return 0;
}
