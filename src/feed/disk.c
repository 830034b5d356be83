#include "feed/disk.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Up from the folder of the path as long as it is the same device. */
static bool mount_of(const char *path, char *out, size_t size)
{
	char full[PATH_MAX], up[PATH_MAX];
	struct stat here, above;
	char *slash;

	if (!realpath(path, full))
		return false;
	slash = strrchr(full, '/');
	if (!slash)
		return false;
	slash[slash == full] = '\0';
	if (stat(full, &here) != 0)
		return false;
	while (strcmp(full, "/") != 0) {
		memcpy(up, full, strlen(full) + 1);
		slash = strrchr(up, '/');
		slash[slash == up] = '\0';
		if (stat(up, &above) != 0 || above.st_dev != here.st_dev)
			break;
		memcpy(full, up, strlen(up) + 1);
	}
	/* A deep one by its end: that is where it differs. */
	slash = strlen(full) < size ? full : full + strlen(full) - size + 1;
	memcpy(out, slash, strlen(slash) + 1);
	return true;
}

bool disk_look(const char *path, struct disk *out)
{
	struct statvfs v;

	if (!mount_of(path, out->mount, sizeof(out->mount)) || statvfs(path, &v) != 0 || v.f_blocks == 0)
		return false;
	out->free = (uint64_t)v.f_bavail * v.f_frsize;
	out->total = (uint64_t)v.f_blocks * v.f_frsize;
	return true;
}
