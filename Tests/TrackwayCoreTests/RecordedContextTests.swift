// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Recorded context")
struct RecordedContextTests {
    private let whole = RecordedContext(
        app: ["id": "shop"],
        device: ["model": "x86_64"],
        boot: "b1",
        user: RecordedContext.User(
            id: "user-42",
            signedInAt: Timestamp(milliseconds: 8),
            uniqueID: "U1",
            firstTouch: Timestamp(milliseconds: 7),
            anonymousID: "A1",
            identities: ["$identity_email": "a@example.com"],
            attributes: [.init(name: "age", value: 21, setAt: Timestamp(milliseconds: 9))],
            subject: "user-42",
            isSeparate: true
        ),
        session: RecordedContext.Session(
            id: "S1",
            number: 3,
            start: Timestamp(milliseconds: 5),
            monotonicStart: MonotonicTime(milliseconds: 4),
            boot: "b1"
        ),
        screen: RecordedContext.Screen(name: "Home", id: "a/b", uniqueID: "1"),
        global: ["channel": "store"]
    )

    @Test
    func `a context reads back as it was written`() throws {
        #expect(try RecordedContext(json: whole.json()) == whole)
    }

    @Test
    func `the monotonic start of a session from another boot is not written`() throws {
        var context = whole
        context.boot = "b2"
        let read = try #require(try RecordedContext(json: context.json()).session)
        #expect(read == RecordedContext.Session(id: "S1", number: 3, start: Timestamp(milliseconds: 5)))
    }

    @Test
    func `empty parts are not written`() throws {
        #expect(RecordedContext().json() == Array("{}".utf8))
        #expect(try RecordedContext(json: Array("{}".utf8)) == RecordedContext())
    }

    @Test
    func `parts of an unexpected type are skipped, and the others are read`() throws {
        let json =
            #"{"app":[1],"user":{"id":"a","attributes":{"x":1,"y":{"value":2,"set":3}}},"session":{"id":"s"},"new":1}"#
        let context = try RecordedContext(json: Array(json.utf8))
        #expect(context.user.id == "a")
        #expect(context.user.attributes.map(\.name) == ["y"])
        #expect(context.session == nil)
        #expect(context.app.isEmpty)
    }
}
