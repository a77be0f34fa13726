// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// What a process can still say about itself while it dies. Everything that needs memory, locks or names is done when
// capture begins: files are open, the loaded modules are written down, a stack for the handler lies ready. The handler
// calls only what POSIX allows inside a signal handler (write, read, sigaction, raise, clock_gettime, nanosleep,
// ftruncate) and system calls without a library behind them. It takes nothing from the host: whoever handled the signal
// before still does, and where nobody did, the process dies of the very signal it would have died of.
//
// Memory that may be broken is never read directly: it is written into a pipe, where a bad address is an error instead
// of another fault, and read back.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "held.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#elif defined(__APPLE__)
#include <TargetConditionals.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>
#include <sys/ucontext.h>
#endif

#define FILES 8
#define MODULES 512
#define FRAMES 128
#define MESSAGE 2048
#define HANDLER_STACK (256 * 1024)

static const struct {
    int number;
    const char *name;
} fatal_signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"},
};
#define SIGNALS ((int)(sizeof fatal_signals / sizeof *fatal_signals))

/// Who handled each signal before. Written before our handler is installed, only read while it is.
static struct sigaction previous_actions[SIGNALS];
/// Where reports go; -1 is a free place. The length is that of the file before a report.
static struct {
    int file;
    off_t length;
} files[FILES] = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
/// Code that was loaded when capture began last.
static struct {
    uintptr_t first, last;
    /// Built without frame pointers: what it was called by has to be looked for.
    bool is_frameless;
} modules[MODULES];
static int module_count;
static int probe_read = -1;
static int probe_write = -1;
static pid_t owner;
/// Whether our handler is installed, or lies beneath one that somebody installed later.
static bool is_installed[SIGNALS];
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

/// The thread that writes the report: the first one to crash. 0 while nobody does.
static uint64_t reporting_thread;
/// 1 once the report is written.
static uint32_t is_reported;

static uint64_t thread_number(void) {
#if defined(__linux__)
    return (uint64_t)syscall(SYS_gettid);
#else
    return (uint64_t)pthread_mach_thread_np(pthread_self());
#endif
}

// MARK: Writing

static void write_all(int file, const char *bytes, size_t count) {
    // A file that has reached the process's limit must not end it, or end it of something else.
    held_signal held = ctrackway_hold(SIGXFSZ);
    bool is_beyond = false;
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {  // A full disk: the reader copes with a report that ends early.
            is_beyond = written < 0 && errno == EFBIG;
            break;
        }
        bytes += written;
        count -= (size_t)written;
    }
    ctrackway_let_go(&held, is_beyond);
}

static void emit(const char *bytes, size_t count) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file >= 0) write_all(files[place].file, bytes, count);
    }
}

static size_t put_text(char *line, size_t at, const char *text) {
    size_t count = strlen(text);
    memcpy(line + at, text, count);
    return at + count;
}

static size_t put_number(char *line, size_t at, uint64_t value, unsigned base) {
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    while (count > 0) line[at++] = digits[--count];
    return at;
}

/// One line: a key and a number.
static void emit_number(const char *key, uint64_t value, unsigned base) {
    char line[64];
    size_t at = put_text(line, 0, key);
    line[at++] = ' ';
    at = put_number(line, at, value, base);
    line[at++] = '\n';
    emit(line, at);
}

static void emit_time(const char *key, clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return;
    emit_number(key, (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000, 10);
}

// MARK: Looking at memory that may be broken

/// Copies a few bytes, if all of them can be read.
static bool look(uintptr_t address, void *to, size_t count) {
    if (address < 4096) return false;
    ssize_t written;
    do {
        written = write(probe_write, (const void *)address, count);
    } while (written < 0 && errno == EINTR);
    if (written <= 0) return false;
    ssize_t got;
    do {
        // What lies across the end of what can be read may have been written in part: that is taken out again.
        got = read(probe_read, to, (size_t)written);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)count;
}

static bool look_word(uintptr_t address, uintptr_t *word) {
    return address % sizeof *word == 0 && look(address, word, sizeof *word);
}

static int module_of(uintptr_t address) {
    for (int index = 0; index < module_count; index++) {
        if (address >= modules[index].first && address < modules[index].last) return index;
    }
    return -1;
}

// MARK: The stack

static void registers(void *machine, uintptr_t *pc, uintptr_t *frame, uintptr_t *stack) {
    const ucontext_t *context = machine;
#if defined(__linux__) && defined(__x86_64__)
    *pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    *frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
    *stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    *pc = (uintptr_t)context->uc_mcontext.pc;
    *frame = (uintptr_t)context->uc_mcontext.regs[29];
    *stack = (uintptr_t)context->uc_mcontext.sp;
#elif defined(__APPLE__) && defined(__x86_64__)
    *pc = (uintptr_t)context->uc_mcontext->__ss.__rip;
    *frame = (uintptr_t)context->uc_mcontext->__ss.__rbp;
    *stack = (uintptr_t)context->uc_mcontext->__ss.__rsp;
#elif defined(__APPLE__) && defined(__aarch64__)
    *pc = (uintptr_t)__darwin_arm_thread_state64_get_pc(context->uc_mcontext->__ss);
    *frame = (uintptr_t)__darwin_arm_thread_state64_get_fp(context->uc_mcontext->__ss);
    *stack = (uintptr_t)__darwin_arm_thread_state64_get_sp(context->uc_mcontext->__ss);
#else
    (void)context;
    *pc = *frame = *stack = 0;
#endif
}

/// Whether a frame record lies here: two readable words, the second of which points into code.
static bool is_link(uintptr_t link, uintptr_t above, uintptr_t *next, uintptr_t *caller) {
    if (link < above || link % sizeof(uintptr_t) != 0) return false;
    return look_word(link, next) && look_word(link + sizeof(uintptr_t), caller) && module_of(*caller) >= 0;
}

/// Whether the word could have been left by a call: on x86 the call itself stands before it.
static bool follows_call(uintptr_t address) {
    if (module_of(address) < 0) return false;
#if defined(__x86_64__)
    unsigned char code[7];
    // The first bytes of a module have nothing before them, and a module may have been unloaded meanwhile.
    if (!look(address - sizeof code, code, sizeof code)) return false;
    if (code[2] == 0xE8) return true;
    if (code[5] == 0xFF && (code[6] & 0x38) == 0x10) return true;
    if (code[4] == 0xFF && (code[5] & 0x38) == 0x10) return true;
    return code[1] == 0xFF && (code[2] & 0x38) == 0x10;
#else
    return true;
#endif
}

static void emit_frame(uintptr_t address, bool is_guess) { emit_number(is_guess ? "maybe" : "frame", address, 16); }

static void emit_stack(void *machine) {
    uintptr_t pc, link, stack;
    registers(machine, &pc, &link, &stack);
    if (pc == 0 && stack == 0) return;
    emit_frame(pc, false);
    int count = 1;
    uintptr_t next, caller, word;
    int module = module_of(pc);
    if (module < 0 && look_word(stack, &word) && module_of(word) >= 0) {
        // A call to nowhere: where it came from is on top of the stack.
        emit_frame(word, false);
        count++;
    }
    bool is_linked = is_link(link, stack, &next, &caller);
    if (module >= 0 && modules[module].is_frameless) {
        // Code without frames called us; between here and the first frame lie return addresses, and perhaps old ones.
        uintptr_t end = stack + 2048;
        for (uintptr_t at = stack; at < end && count < 24; at += sizeof word) {
            uintptr_t after, found;
            if (!look_word(at, &word)) break;
            if (is_linked && at >= link) break;
            if (!is_linked && is_link(word, at, &after, &found) && is_link(after, word, &after, &found)) {
                // The saved frame pointer of the nearest code that keeps one.
                link = word;
                is_linked = is_link(link, at, &next, &caller);
                if (look_word(at + sizeof word, &word) && follows_call(word)) {
                    emit_frame(word, true);
                    count++;
                }
                break;
            }
            if (follows_call(word)) {
                emit_frame(word, true);
                count++;
            }
        }
    }
    while (is_linked && count < FRAMES) {
        emit_frame(caller, false);
        count++;
        // A stack grows towards lower addresses, so every caller's frame lies higher; anything else is a loop.
        uintptr_t above = link + 2 * sizeof link;
        link = next;
        is_linked = is_link(link, above, &next, &caller);
    }
    if (count >= FRAMES) emit("deeper\n", 7);
}

// MARK: The message

#if defined(__linux__)
/// Where the Swift runtime keeps the text of its fatal error, for debuggers; not in every version of it.
extern const void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));
#endif

static void emit_message(int number) {
#if defined(__linux__)
    if (swift_getFatalErrorMessageBuffer == NULL) return;
    if (number != SIGILL && number != SIGTRAP && number != SIGABRT) return;
    uintptr_t text;
    if (!look_word((uintptr_t)swift_getFatalErrorMessageBuffer(), &text) || text == 0) return;
    static char message[MESSAGE + 16];
    size_t count = 0;
    while (count < MESSAGE) {
        // Up to the next multiple of 16, so that no read crosses into another page.
        size_t step = 16 - text % 16;
        if (!look(text, message + count, step)) break;
        size_t length = strnlen(message + count, step);
        count += length;
        text += length;
        if (length < step) break;
    }
    for (size_t at = 0; at < count; at++) {
        if (message[at] == '\n' || message[at] == '\r') message[at] = ' ';
    }
    while (count > 0 && message[count - 1] == ' ') count--;
    if (count == 0) return;
    emit("message ", 8);
    emit(message, count);
    emit("\n", 1);
#else
    (void)number;
#endif
}

// MARK: The handler

static void write_report(int index, const siginfo_t *information, void *machine) {
    char line[64];
    size_t at = put_text(line, 0, "signal ");
    at = put_number(line, at, (uint64_t)fatal_signals[index].number, 10);
    line[at++] = ' ';
    at = put_text(line, at, fatal_signals[index].name);
    line[at++] = '\n';
    emit(line, at);
    emit_time("wall", CLOCK_REALTIME);
#if defined(__linux__)
    emit_time("monotonic", CLOCK_BOOTTIME);
#else
    emit_time("monotonic", CLOCK_MONOTONIC);
#endif
    if (information->si_code > 0) {
        emit_number("code", (uint64_t)information->si_code, 10);
        emit_number("address", (uint64_t)(uintptr_t)information->si_addr, 16);
    }
    emit_number("thread", thread_number(), 10);
    emit_message(fatal_signals[index].number);
    emit_stack(machine);
    emit("end\n", 4);
}

static void forget_report(void) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file < 0) continue;
        // A report that cannot be taken back stays; it is true that the signal came.
        if (ftruncate(files[place].file, files[place].length) != 0) continue;
        lseek(files[place].file, files[place].length, SEEK_SET);
    }
    __atomic_store_n(&is_reported, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&reporting_thread, 0, __ATOMIC_RELEASE);
}

static void restore(int index) { sigaction(fatal_signals[index].number, &previous_actions[index], NULL); }

/// Whether the instruction that failed fails again when the handler returns.
static bool happens_again(int number, const siginfo_t *information) {
    if (information->si_code <= 0) return false;  // Somebody sent it.
#if defined(__x86_64__)
    if (number == SIGTRAP) return false;  // The trap lies behind us.
#endif
    return number != SIGABRT;
}

static void on_crash(int number, siginfo_t *information, void *machine);

static bool is_ours(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
}

/// Lets happen what would have happened without us.
static void pass_on(int index, siginfo_t *information, void *machine, bool is_reporter) {
    int number = fatal_signals[index].number;
    const struct sigaction *previous = &previous_actions[index];
    bool has_handler =
        (previous->sa_flags & SA_SIGINFO) != 0 || (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN);
    if (!has_handler) {
        bool is_ignored = previous->sa_handler == SIG_IGN;
        if (is_ignored && !happens_again(number, information)) return;
        restore(index);
        if (!happens_again(number, information)) raise(number);
        return;
    }
    bool is_spent = (previous->sa_flags & SA_RESETHAND) != 0;
    if (is_spent) {
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        sigemptyset(&standard.sa_mask);
        sigaction(number, &standard, NULL);
    }
    if ((previous->sa_flags & SA_SIGINFO) != 0) {
        previous->sa_sigaction(number, information, machine);
    } else {
        previous->sa_handler(number);
    }
    // It came back and stays in charge: it mended what was wrong, and nothing crashed.
    if (is_reporter && is_ours(number) && number != SIGABRT) forget_report();
}

static void on_crash(int number, siginfo_t *information, void *machine) {
    int kept = errno;
    int index = 0;
    while (index < SIGNALS - 1 && fatal_signals[index].number != number) index++;
    bool is_reporter = false;
    // Sent by somebody and ignored by the host: not the end of anything.
    bool is_ignored = (previous_actions[index].sa_flags & SA_SIGINFO) == 0
        && previous_actions[index].sa_handler == SIG_IGN && information->si_code <= 0 && number != SIGABRT;
    if (getpid() == owner && !is_ignored) {
        uint64_t me = thread_number();
        uint64_t first = 0;
        if (__atomic_compare_exchange_n(&reporting_thread, &first, me, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            write_report(index, information, machine);
            is_reporter = true;
            __atomic_store_n(&is_reported, 1, __ATOMIC_RELEASE);
        } else if (first != me) {
            // Another thread was first. It is given the time to write, then this one takes its own way.
            for (int turn = 0; turn < 500 && __atomic_load_n(&is_reported, __ATOMIC_ACQUIRE) == 0; turn++) {
                struct timespec pause = {0, 10000000};
                nanosleep(&pause, NULL);
            }
        }
        // The same thread again: writing the report crashed. What is written stays, and nothing more is tried.
    }
    errno = kept;
    pass_on(index, information, machine, is_reporter);
    errno = kept;
}

// MARK: Beginning and ending

static bool is_known_frameless(const char *path) {
    const char *name = strrchr(path, '/');
    name = name == NULL ? path : name + 1;
    return strncmp(name, "libc.", 5) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "libm", 4) == 0
        || strncmp(name, "ld-", 3) == 0 || strncmp(name, "libpthread", 10) == 0 || strncmp(name, "libsystem_", 10) == 0;
}

static void add_module(int file, uintptr_t base, uintptr_t first, uintptr_t last, const char *build, const char *path) {
    if (module_count < MODULES) {
        modules[module_count].first = first;
        modules[module_count].last = last;
        modules[module_count].is_frameless = is_known_frameless(path);
        module_count++;
    }
    char line[1400];
    int count = snprintf(
        line, sizeof line, "module %lx %lx %lx %s %.1200s\n", (unsigned long)base, (unsigned long)first,
        (unsigned long)last, build[0] == 0 ? "-" : build, path);
    if (count > 0) write_all(file, line, (size_t)count);
}

#if defined(__linux__)
static void read_build(const struct dl_phdr_info *module, const ElfW(Phdr) * note, char *build, size_t capacity) {
    const char *at = (const char *)(module->dlpi_addr + note->p_vaddr);
    const char *end = at + note->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)at;
        const char *name = at + sizeof *header;
        const unsigned char *bytes = (const unsigned char *)name + ((header->n_namesz + 3u) & ~3u);
        if ((const char *)bytes + header->n_descsz > end) return;
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            size_t written = 0;
            for (unsigned index = 0; index < header->n_descsz && written + 3 < capacity; index++) {
                build[written++] = "0123456789abcdef"[bytes[index] >> 4];
                build[written++] = "0123456789abcdef"[bytes[index] & 15];
            }
            build[written] = 0;
            return;
        }
        at = (const char *)bytes + ((header->n_descsz + 3u) & ~3u);
    }
}

static int add_loaded(struct dl_phdr_info *module, size_t size, void *context) {
    (void)size;
    char build[80] = "";
    char own[1024] = "";
    const char *path = module->dlpi_name;
    if (path == NULL || path[0] == 0) {
        ssize_t count = readlink("/proc/self/exe", own, sizeof own - 1);
        path = count > 0 ? own : "main";
    }
    uintptr_t first = UINTPTR_MAX, last = 0;
    for (int index = 0; index < module->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[index];
        if (header->p_type == PT_NOTE && build[0] == 0) read_build(module, header, build, sizeof build);
        if (header->p_type != PT_LOAD || (header->p_flags & PF_X) == 0) continue;
        uintptr_t start = module->dlpi_addr + header->p_vaddr;
        if (start < first) first = start;
        if (start + header->p_memsz > last) last = start + header->p_memsz;
    }
    if (last > 0) add_module(*(int *)context, module->dlpi_addr, first, last, build, path);
    return 0;
}
#endif

/// Writes down what is loaded now, once for the file and once for the handler.
static void add_modules(int file) {
    module_count = 0;
#if defined(__linux__)
    dl_iterate_phdr(add_loaded, &file);
#elif defined(__APPLE__)
    for (uint32_t image = 0; image < _dyld_image_count(); image++) {
        const struct mach_header_64 *header = (const struct mach_header_64 *)_dyld_get_image_header(image);
        if (header == NULL || header->magic != MH_MAGIC_64) continue;
        const char *at = (const char *)(header + 1);
        for (uint32_t command = 0; command < header->ncmds; command++) {
            const struct segment_command_64 *segment = (const struct segment_command_64 *)at;
            if (segment->cmd == LC_SEGMENT_64 && strcmp(segment->segname, "__TEXT") == 0) {
                uintptr_t first = (uintptr_t)header;
                add_module(file, first, first, first + segment->vmsize, "", _dyld_get_image_name(image));
                break;
            }
            at += segment->cmdsize;
        }
    }
#endif
}

#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
// These systems have no stacks for handlers: an overflow leaves no report there.
int ctrackway_crash_prepare_thread(void) { return 0; }
#else
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void free_stack(void *stack) {
    stack_t none = {0};
    none.ss_flags = SS_DISABLE;
    none.ss_size = MINSIGSTKSZ;
    sigaltstack(&none, NULL);
    munmap(stack, HANDLER_STACK);
}
static void make_stack_key(void) { pthread_key_create(&stack_key, free_stack); }

int ctrackway_crash_prepare_thread(void) {
    stack_t now;
    if (sigaltstack(NULL, &now) != 0) return -1;
    if ((now.ss_flags & SS_DISABLE) == 0) return 0;  // The host made one; it is ours to use, not to replace.
    void *memory = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    stack_t fresh = {0};
    fresh.ss_sp = memory;
    fresh.ss_size = HANDLER_STACK;
    if (sigaltstack(&fresh, NULL) != 0) {
        munmap(memory, HANDLER_STACK);
        return -1;
    }
    pthread_once(&stack_once, make_stack_key);
    pthread_setspecific(stack_key, memory);
    return 0;
}
#endif

static int open_probe(void) {
    int ends[2];
    if (probe_read >= 0) return 0;
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    probe_read = ends[0];
    probe_write = ends[1];
    return 0;
}

static int install(void) {
    for (int index = 0; index < SIGNALS; index++) {
        int number = fatal_signals[index].number;
        struct sigaction *previous = &previous_actions[index];
        if (is_installed[index]) continue;
        if (sigaction(number, NULL, previous) != 0) return -1;
        struct sigaction ours;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = on_crash;
        bool has_handler = (previous->sa_flags & SA_SIGINFO) != 0
            || (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN);
        if (has_handler) {
            ours.sa_mask = previous->sa_mask;
            ours.sa_flags = (int)(previous->sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
        } else {
            sigemptyset(&ours.sa_mask);
            ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        }
        if (sigaction(number, &ours, NULL) != 0) return -1;
        is_installed[index] = true;
    }
    return 0;
}

/// Takes our handler away where nobody has put another one on top: such a one may call ours, which then stays and passes
/// on what comes.
static void uninstall(void) {
    for (int index = 0; index < SIGNALS; index++) {
        if (!is_installed[index] || !is_ours(fatal_signals[index].number)) continue;
        restore(index);
        is_installed[index] = false;
    }
}

int ctrackway_crash_begin(int file) {
    pthread_mutex_lock(&installing);
    int place = 0;
    while (place < FILES && files[place].file >= 0) place++;
    int result = -1;
    if (place < FILES && open_probe() == 0 && ctrackway_crash_prepare_thread() == 0) {
        owner = getpid();
        lseek(file, 0, SEEK_END);
        add_modules(file);
        write_all(file, "ready\n", 6);
        files[place].length = lseek(file, 0, SEEK_END);
        __atomic_store_n(&files[place].file, file, __ATOMIC_RELEASE);
        if (install() == 0) {
            result = place;
        } else {
            __atomic_store_n(&files[place].file, -1, __ATOMIC_RELEASE);
            uninstall();
        }
    } else if (place == FILES) {
        errno = EMFILE;
    }
    pthread_mutex_unlock(&installing);
    return result;
}

void ctrackway_crash_end(int place) {
    if (place < 0 || place >= FILES) return;
    pthread_mutex_lock(&installing);
    __atomic_store_n(&files[place].file, -1, __ATOMIC_RELEASE);
    bool is_last = true;
    for (int other = 0; other < FILES; other++) is_last = is_last && files[other].file < 0;
    if (is_last) uninstall();
    pthread_mutex_unlock(&installing);
}
