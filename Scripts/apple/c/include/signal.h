// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <Availability.h>
#include <sys/types.h>
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12
#define SIGPIPE 13
#define SIGTERM 15
#define SIGSTOP 17
#define SIGTSTP 18
#define SIGCONT 19
#define SIGXFSZ 25
typedef uint32_t sigset_t;
union sigval {
    int sival_int;
    void *sival_ptr;
};
typedef struct __siginfo {
    int si_signo;
    int si_errno;
    int si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    void *si_addr;
    union sigval si_value;
    long si_band;
    unsigned long __pad[7];
} siginfo_t;
struct sigaction {
    union {
        void (*__sa_handler)(int);
        void (*__sa_sigaction)(int, struct __siginfo *, void *);
    } __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
#define sa_sigaction __sigaction_u.__sa_sigaction
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_ERR ((void (*)(int)) - 1)
#define SA_ONSTACK 0x1
#define SA_RESTART 0x2
#define SA_RESETHAND 0x4
#define SA_NODEFER 0x10
#define SA_SIGINFO 0x40
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
typedef struct {
    void *ss_sp;
    size_t ss_size;
    int ss_flags;
} stack_t;
#define SS_ONSTACK 0x1
#define SS_DISABLE 0x4
#define MINSIGSTKSZ 32768
#define SIGSTKSZ 131072
int sigaction(int number, const struct sigaction *fresh, struct sigaction *former);
int sigaltstack(const stack_t *fresh, stack_t *former) SYNTHETIC_NOT_ON_TV_OR_WATCH;
int sigpending(sigset_t *set);
int sigwait(const sigset_t *set, int *number);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *former);
int raise(int number);
int kill(pid_t process, int number);
// These are macros in Apple's header, too.
#define sigaddset(set, number) (*(set) |= 1u << ((number) - 1), 0)
#define sigdelset(set, number) (*(set) &= ~(1u << ((number) - 1)), 0)
#define sigismember(set, number) ((*(set) & 1u << ((number) - 1)) != 0)
#define sigemptyset(set) (*(set) = 0, 0)
#define sigfillset(set) (*(set) = ~(sigset_t)0, 0)
