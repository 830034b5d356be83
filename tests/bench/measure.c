/*
 * measure FILE PROGRAM [ARGS]: runs it and writes what it took to FILE: exit status, CPU seconds, peak memory. Linux counts
 * the memory of whoever forks as the child's peak, so the one who forks must be small: not Python.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage u;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 64;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 71;
	f = fopen(argv[1], "w");
	if (!f)
		return 73;
	fprintf(f, "{\"exit\":%d,\"cpu\":%.6f,\"peak\":%ld}\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), seconds(u.ru_utime) + seconds(u.ru_stime),
		u.ru_maxrss * 1024L);
	return fclose(f) == 0 ? 0 : 74;
}
