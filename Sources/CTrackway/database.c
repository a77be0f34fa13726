// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Reads databases of other software with the system's SQLite. SQLite is loaded at run time, because apps that never
// import data must not depend on it, so the SDK does not link it. The declarations below belong to SQLite's public
// interface, which is guaranteed to be stable.

#include "CTrackway.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { SQL_OK = 0, SQL_MISUSE = 21, SQL_ROW = 100, SQL_DONE = 101 };
enum { SQL_TEXT = 3 };
enum { SQL_READ_WRITE = 0x2, SQL_NO_MUTEX = 0x8000 };

struct ctrackway_database {
    void *library;
    void *connection;
    void *statement;
    int (*open)(const char *, void **, int, const char *);
    int (*close)(void *);
    int (*prepare)(void *, const char *, int, void **, const char **);
    int (*parameters)(void *);
    int (*bind)(void *, int, int64_t);
    int (*step)(void *);
    int (*type)(void *, int);
    int64_t (*number)(void *, int);
    const unsigned char *(*text)(void *, int);
    int (*bytes)(void *, int);
    int (*finalize)(void *);
};

#if defined(__APPLE__)
static const char *const names[] = {"/usr/lib/libsqlite3.dylib"};
#else
static const char *const names[] = {"libsqlite3.so.0"};
#endif

// dlsym returns functions as pointers to data; POSIX guarantees that they can be called.
#define FIND(member, name)                                                     \
    (*(void **)&database->member = dlsym(database->library, name), database->member != NULL)

static bool load(ctrackway_database *database) {
    for (size_t index = 0; index < sizeof names / sizeof names[0] && database->library == NULL; index++) {
        database->library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    }
    return database->library != NULL && FIND(open, "sqlite3_open_v2") && FIND(close, "sqlite3_close_v2") &&
           FIND(prepare, "sqlite3_prepare_v2") && FIND(parameters, "sqlite3_bind_parameter_count") &&
           FIND(bind, "sqlite3_bind_int64") && FIND(step, "sqlite3_step") && FIND(type, "sqlite3_column_type") &&
           FIND(number, "sqlite3_column_int64") && FIND(text, "sqlite3_column_text") &&
           FIND(bytes, "sqlite3_column_bytes") && FIND(finalize, "sqlite3_finalize");
}

ctrackway_database *ctrackway_database_open(const char *path, int32_t *code) {
    *code = -1;
    ctrackway_database *database = calloc(1, sizeof *database);
    if (database == NULL) return NULL;
    if (load(database)) {
        int result = database->open(path, &database->connection, SQL_READ_WRITE | SQL_NO_MUTEX, NULL);
        *code = result;
        if (result == SQL_OK) return database;
    }
    ctrackway_database_close(database);
    return NULL;
}

int32_t ctrackway_database_query(ctrackway_database *database, const char *query, int64_t first, int64_t second) {
    if (database->statement != NULL) database->finalize(database->statement);
    database->statement = NULL;
    int result = database->prepare(database->connection, query, -1, &database->statement, NULL);
    if (result != SQL_OK) return result;
    if (database->statement == NULL) return SQL_MISUSE;
    int count = database->parameters(database->statement);
    if (count > 0) result = database->bind(database->statement, 1, first);
    if (count > 1 && result == SQL_OK) result = database->bind(database->statement, 2, second);
    return result;
}

int32_t ctrackway_database_next(ctrackway_database *database) {
    if (database->statement == NULL) return 0;
    int result = database->step(database->statement);
    if (result == SQL_ROW) return 1;
    return result == SQL_DONE ? 0 : -result;
}

int64_t ctrackway_database_number(ctrackway_database *database, int32_t column) {
    return database->number(database->statement, column);
}

const void *ctrackway_database_text(ctrackway_database *database, int32_t column, int64_t *count) {
    *count = 0;
    if (database->type(database->statement, column) != SQL_TEXT) return NULL;
    const unsigned char *text = database->text(database->statement, column);
    if (text != NULL) *count = database->bytes(database->statement, column);
    return text;
}

void ctrackway_database_close(ctrackway_database *database) {
    if (database->statement != NULL) database->finalize(database->statement);
    if (database->connection != NULL) database->close(database->connection);
    // The library is not closed: on some systems, that would unload it for other code that opened it in the meantime.
    free(database);
}
