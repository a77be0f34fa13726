// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayTriggers

@testable internal import SparkChamberCompatibility

@MainActor
@Suite("Spark events of objects")
struct SparkEventDataTests {
    @Test
    func `any object can have events, and nil differs from an empty list`() {
        let model = NSObject()
        #expect(model.sparkEvents == nil)
        let event = SparkEvent(trigger: .didAppear, action: nil)
        model.sparkEvents = [event]
        #expect(model.sparkEvents?.first === event)
        model.sparkEvents = []
        #expect(model.sparkEvents == [])
        model.sparkEvents = nil
        #expect(model.sparkEvents == nil)
        let data: any SparkEventData = NSString(string: "a model")
        data.sparkEvents = [event]
        #expect(data.sparkEvents == [event])
    }

    @Test
    func `other values of the same object are unaffected`() {
        let storage = AssociatedStorage<String>()
        let model = NSObject()
        storage[model] = "kept"
        model.sparkEvents = [SparkEvent(trigger: .didAppear, action: nil)]
        #expect(storage[model] == "kept")
        model.sparkEvents = nil
        #expect(storage[model] == "kept")
    }

    @Test
    func `events do not retain their object, and 10,000 objects are released with their events`() {
        final class RetainedObject: Sendable {
            let end: @Sendable () -> Void

            init(_ end: @escaping @Sendable () -> Void) { self.end = end }

            deinit { end() }
        }
        let liveCount = Locked(0)
        weak var last: NSObject?
        do {
            var objects: [NSObject] = []
            for _ in 0..<10_000 {
                let object = NSObject()
                let retainedObject = RetainedObject { liveCount.withLock { $0 -= 1 } }
                liveCount.withLock { $0 += 1 }
                object.sparkEvents = [SparkEvent(trigger: .didAppear) { _ in withExtendedLifetime(retainedObject) {} }]
                objects.append(object)
            }
            last = objects.last
            #expect(objects.allSatisfy { $0.sparkEvents?.count == 1 })
            #expect(liveCount.withLock { $0 } == 10_000)
        }
        #expect(last == nil)
        // Without Objective-C, old values are released as new ones are added.
        let otherObjects = (0..<20_100).map { _ in NSObject() }
        for other in otherObjects { other.sparkEvents = [] }
        #expect(liveCount.withLock { $0 } == 0)
        for other in otherObjects { other.sparkEvents = nil }
    }

    @Test
    func `the built-in single-fire event is released, and the documented one once its action is removed`() {
        weak var documented: SparkEvent?
        weak var ready: SparkEvent?
        do {
            let event = SparkEvent(trigger: .didAppear, action: nil)
            event.action = { _ in event.trigger = .none }
            documented = event
            ready = SparkEvent.once(id: UUID().uuidString, trigger: .didAppear) { _ in }
        }
        #expect(ready == nil)
        #expect(documented != nil)
        documented?.action = nil
        #expect(documented == nil)
    }
}
