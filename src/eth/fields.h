/* What the hex numbers in a node's answers are: by the name of the member, or of the method where the answer is one number. */
#ifndef ETH_FIELDS_H
#define ETH_FIELDS_H

#include <stddef.h>

enum field_unit {
	FIELD_NONE, /* bytes, or not known: nothing can be said */
	FIELD_NUMBER, /* a count, a height, gas */
	FIELD_PRICE, /* wei for a unit of gas */
	FIELD_WEI, /* an amount in wei */
	FIELD_GWEI, /* an amount in gwei: withdrawals */
	FIELD_TIME, /* seconds since 1970 */
	FIELD_CHAIN, /* a chain id */
};

/* name[n]: of a member, as it stands in JSON. */
enum field_unit field_unit(const char *name, size_t n);
enum field_unit field_result_unit(const char *method);

#endif
