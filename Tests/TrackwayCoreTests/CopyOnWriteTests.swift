// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

@testable import TrackwayCore

/// Values whose copies share memory until one of them changes.
@Suite("Copy on write")
struct CopyOnWriteTests {
    private final class Token {}

    @Test
    func `a change affects only the copy that is changed`() {
        let first = CopyOnWrite([1])
        var second = first
        second.value.append(2)
        #expect(first.value == [1] && second.value == [1, 2])
    }

    @Test
    func `a change of the only copy leaves the value in place`() {
        var box = CopyOnWrite([Token()])
        let address = box.value.withUnsafeBufferPointer { $0.baseAddress }
        box.value[0] = Token()
        #expect(box.value.withUnsafeBufferPointer { $0.baseAddress } == address)
    }

    @Test
    func `values are compared and hashed by content`() {
        #expect(CopyOnWrite("a") == CopyOnWrite("a") && CopyOnWrite("a") != CopyOnWrite("b"))
        #expect(Set([CopyOnWrite("a"), CopyOnWrite("a"), CopyOnWrite("b")]).count == 2)
    }

    @Test
    func `a context's copies are independent in every field`() {
        let original = RecordedContext(app: ["version": "1"], boot: "one", user: .init(id: "anne"))
        var copy = original
        copy.app["version"] = "2"
        copy.device["model"] = "phone"
        copy.boot = "two"
        copy.user.id = "bob"
        copy.session = .init(id: "s", number: 1, start: Timestamp(milliseconds: 1))
        copy.screen = .init(name: "Home")
        copy.global["plan"] = "pro"
        copy.modes["audit"] = "debug"
        #expect(original == RecordedContext(app: ["version": "1"], boot: "one", user: .init(id: "anne")))
        #expect(copy != original && Set([copy, original, copy]).count == 2)
        #expect(copy.user.id == "bob" && copy.screen?.name == "Home" && copy.boot == "two")
    }
}
