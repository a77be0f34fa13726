// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <signal.h>
#if defined(__aarch64__)
struct __darwin_arm_thread_state64 {
    uint64_t __x[29];
    uint64_t __fp;
    uint64_t __lr;
    uint64_t __sp;
    uint64_t __pc;
    uint32_t __cpsr;
    uint32_t __pad;
};
// Code with signed pointers (arm64e) stores them differently; these macros read both forms.
#define __darwin_arm_thread_state64_get_pc(state) ((state).__pc)
#define __darwin_arm_thread_state64_get_lr(state) ((state).__lr)
#define __darwin_arm_thread_state64_get_sp(state) ((state).__sp)
#define __darwin_arm_thread_state64_get_fp(state) ((state).__fp)
struct __darwin_mcontext64 {
    struct {
        uint64_t __far;
        uint32_t __esr;
        uint32_t __exception;
    } __es;
    struct __darwin_arm_thread_state64 __ss;
};
#elif defined(__x86_64__)
struct __darwin_mcontext64 {
    struct {
        uint16_t __trapno;
        uint16_t __cpu;
        uint32_t __err;
        uint64_t __faultvaddr;
    } __es;
    struct {
        uint64_t __rax, __rbx, __rcx, __rdx, __rdi, __rsi, __rbp, __rsp, __r8, __r9, __r10, __r11, __r12, __r13, __r14, __r15;
        uint64_t __rip, __rflags, __cs, __fs, __gs;
    } __ss;
};
#endif
typedef struct __darwin_ucontext {
    int uc_onstack;
    sigset_t uc_sigmask;
    stack_t uc_stack;
    struct __darwin_ucontext *uc_link;
    size_t uc_mcsize;
    struct __darwin_mcontext64 *uc_mcontext;
} ucontext_t;
