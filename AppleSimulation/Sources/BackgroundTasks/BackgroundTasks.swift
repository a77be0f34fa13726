// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - A task belongs to the app from its launch handler until `setTaskCompleted(success:)`, which counts once (Apple,
///   page of `BGTask`).
/// - When the time is over, the expiration handler is called, and the task must be completed soon. The system completes
///   a task without a handler, with `success: false` (page of `expirationHandler`).
open class BGTask: NSObject, @unchecked Sendable {
    public let identifier: String
    private let lock = NSLock()
    private var handler: (() -> Void)?
    private var completions: [Bool] = []
    private var wait: [CheckedContinuation<Void, Never>] = []

    init(_ identifier: String) {
        self.identifier = identifier
        super.init()
    }

    open var expirationHandler: (() -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    open func setTaskCompleted(success: Bool) {
        let waiting = lock.withLock {
            completions.append(success)
            // Everything that the handler captures is released with the task.
            handler = nil
            defer { wait = [] }
            return wait
        }
        for waiter in waiting { waiter.resume() }
    }

    #if !canImport(ObjectiveC)
    /// The values that the app passed on completion.
    ///
    /// More than one is a bug of the app.
    public var simulatedCompletions: [Bool] { lock.withLock { completions } }

    /// The system ends the task's time.
    public func simulateExpiration() {
        let (handler, isCompleted) = lock.withLock { (self.handler, !completions.isEmpty) }
        guard !isCompleted else { return }
        if let handler { handler() } else { setTaskCompleted(success: false) }
    }

    /// Returns when the app has completed the task.
    public func simulatedCompletion() async {
        await withCheckedContinuation { continuation in
            let isCompleted = lock.withLock {
                if completions.isEmpty { wait.append(continuation) }
                return !completions.isEmpty
            }
            if isCompleted { continuation.resume() }
        }
    }
    #endif
}

open class BGAppRefreshTask: BGTask, @unchecked Sendable {}
open class BGProcessingTask: BGTask, @unchecked Sendable {}

open class BGTaskRequest: NSObject {
    public let identifier: String
    open var earliestBeginDate: Date?

    init(_ identifier: String) {
        self.identifier = identifier
        super.init()
    }
}

open class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {
        super.init(identifier)
    }
}

open class BGProcessingTaskRequest: BGTaskRequest {
    open var requiresNetworkConnectivity = false
    open var requiresExternalPower = false

    public init(identifier: String) {
        super.init(identifier)
    }
}
