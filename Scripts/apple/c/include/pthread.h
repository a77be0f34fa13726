// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <signal.h>
#include <sys/types.h>
typedef struct _opaque_pthread_t *pthread_t;
typedef unsigned long pthread_key_t;
typedef struct {
    long __sig;
    char __opaque[8];
} pthread_once_t;
typedef struct {
    long __sig;
    char __opaque[56];
} pthread_mutex_t;
typedef struct {
    long __sig;
    char __opaque[8];
} pthread_mutexattr_t;
typedef struct {
    long __sig;
    char __opaque[56];
} pthread_attr_t;
#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}
#define PTHREAD_MUTEX_INITIALIZER {0x32AAABA7, {0}}
#define PTHREAD_CREATE_DETACHED 2
pthread_t pthread_self(void);
int pthread_main_np(void);
uint32_t pthread_mach_thread_np(pthread_t thread);
int pthread_setname_np(const char *name);
int pthread_once(pthread_once_t *once, void (*body)(void));
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_setspecific(pthread_key_t key, const void *value);
void *pthread_getspecific(pthread_key_t key);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
