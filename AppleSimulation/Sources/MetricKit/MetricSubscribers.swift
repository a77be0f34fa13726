// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - Methods that a subscriber does not implement are not called, and payloads arrive on a system thread (Apple, page
///   of `MXMetricManagerSubscriber`).
/*@objc*/ public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    /*@objc(didReceiveMetricPayloads:)*/ /*optional*/ func didReceive(_ payloads: [MXMetricPayload])
    /*@objc(didReceiveDiagnosticPayloads:)*/ /*optional*/ func didReceive(_ payloads: [MXDiagnosticPayload])
}

#if !canImport(ObjectiveC)
extension MXMetricManagerSubscriber {
    public func didReceive(_ payloads: [MXMetricPayload]) {}
    public func didReceive(_ payloads: [MXDiagnosticPayload]) {}
}
#endif

open class MXMetricManager: NSObject, @unchecked Sendable {
    private static let one = MXMetricManager()
    private let lock = NSLock()
    private var subscribers: [any MXMetricManagerSubscriber] = []
    private let queue = DispatchQueue(label: "simulated.metrics")

    open class var shared: MXMetricManager { one }

    open var pastDiagnosticPayloads: [MXDiagnosticPayload] { lock.withLock { deliveredPayloads } }
    private var deliveredPayloads: [MXDiagnosticPayload] = []

    open func add(_ subscriber: any MXMetricManagerSubscriber) {
        lock.withLock { subscribers.append(subscriber) }
    }

    open func remove(_ subscriber: any MXMetricManagerSubscriber) {
        lock.withLock { subscribers.removeAll { $0 === subscriber } }
    }

    #if !canImport(ObjectiveC)
    /// The number of subscribers.
    public var simulatedSubscribers: Int { lock.withLock { subscribers.count } }

    /// Delivers the system's payloads.
    ///
    /// All subscribers have been notified when this call returns.
    public func simulate(_ payloads: [MXDiagnosticPayload]) {
        let notified = lock.withLock {
            deliveredPayloads += payloads
            return subscribers
        }
        queue.sync { for subscriber in notified { subscriber.didReceive(payloads) } }
    }
    #endif
}
