// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

open class MXMetaData: NSObject, @unchecked Sendable {
    open internal(set) var regionFormat = "US"
    open internal(set) var osVersion = "iPhone OS 17.4 (21E219)"
    open internal(set) var deviceType = "iPhone15,4"
    open internal(set) var applicationBuildVersion = "1"
    open internal(set) var platformArchitecture = "arm64e"
    @available(iOS 17, macOS 14, *)
    open internal(set) var pid: Int32 {
        get { process }
        set { process = newValue }
    }
    private var process: Int32 = 0
}

open class MXCallStackTree: NSObject, @unchecked Sendable {
    private var json = Data()

    open func jsonRepresentation() -> Data { json }

    #if !canImport(ObjectiveC)
    /// Creates a call stack tree with this JSON text, as the system writes it.
    public convenience init(simulatedJSON text: String) {
        self.init()
        json = Data(text.utf8)
    }
    #endif
}

open class MXDiagnostic: NSObject, @unchecked Sendable {
    open internal(set) var metaData = MXMetaData()
    open internal(set) var applicationVersion = "1.0"
}

@available(iOS 17, macOS 14, *)
open class MXCrashDiagnosticObjectiveCExceptionReason: NSObject, @unchecked Sendable {
    open internal(set) var composedMessage = ""
    open internal(set) var exceptionName = ""
}

open class MXCrashDiagnostic: MXDiagnostic, @unchecked Sendable {
    open internal(set) var callStackTree = MXCallStackTree()
    open internal(set) var terminationReason: String?
    open internal(set) var virtualMemoryRegionInfo: String?
    open internal(set) var exceptionType: NSNumber?
    open internal(set) var exceptionCode: NSNumber?
    open internal(set) var signal: NSNumber?
    @available(iOS 17, macOS 14, *)
    open var exceptionReason: MXCrashDiagnosticObjectiveCExceptionReason? {
        reason as? MXCrashDiagnosticObjectiveCExceptionReason
    }
    private var reason: NSObject?

    #if !canImport(ObjectiveC)
    /// Returns a crash as the system reports it, up to a day later.
    public static func simulated(
        signal: Int32?,
        exceptionType: Int? = nil,
        terminationReason: String? = nil,
        exception: (name: String, message: String)? = nil,
        process: Int32 = 0,
        callStack: String = "{}",
        version: String = "1.0",
        build: String = "1"
    ) -> MXCrashDiagnostic {
        let crash = MXCrashDiagnostic()
        crash.signal = signal.map { NSNumber(value: $0) }
        crash.exceptionType = exceptionType.map { NSNumber(value: $0) }
        crash.terminationReason = terminationReason
        crash.callStackTree = MXCallStackTree(simulatedJSON: callStack)
        crash.applicationVersion = version
        crash.metaData.applicationBuildVersion = build
        crash.metaData.pid = process
        if let exception {
            let reason = MXCrashDiagnosticObjectiveCExceptionReason()
            (reason.exceptionName, reason.composedMessage) = exception
            crash.reason = reason
        }
        return crash
    }
    #endif
}

open class MXHangDiagnostic: MXDiagnostic, @unchecked Sendable {
    open internal(set) var callStackTree = MXCallStackTree()
    open internal(set) var hangDuration = Measurement(value: 0, unit: UnitDuration.seconds)

    #if !canImport(ObjectiveC)
    /// Returns a hang of the main thread with this duration.
    public static func simulated(seconds: Double, callStack: String = "{}") -> MXHangDiagnostic {
        let hang = MXHangDiagnostic()
        hang.hangDuration = Measurement(value: seconds, unit: UnitDuration.seconds)
        hang.callStackTree = MXCallStackTree(simulatedJSON: callStack)
        return hang
    }
    #endif
}

open class MXDiagnosticPayload: NSObject, @unchecked Sendable {
    open internal(set) var crashDiagnostics: [MXCrashDiagnostic]?
    open internal(set) var hangDiagnostics: [MXHangDiagnostic]?
    open internal(set) var timeStampBegin = Date(timeIntervalSince1970: 0)
    open internal(set) var timeStampEnd = Date(timeIntervalSince1970: 0)

    open func jsonRepresentation() -> Data { Data("{}".utf8) }

    #if !canImport(ObjectiveC)
    /// Returns a report of the system for a time range.
    public static func simulated(
        crashes: [MXCrashDiagnostic] = [],
        hangs: [MXHangDiagnostic] = [],
        from begin: Date,
        to end: Date
    ) -> MXDiagnosticPayload {
        let payload = MXDiagnosticPayload()
        payload.crashDiagnostics = crashes.isEmpty ? nil : crashes
        payload.hangDiagnostics = hangs.isEmpty ? nil : hangs
        payload.timeStampBegin = begin
        payload.timeStampEnd = end
        return payload
    }
    #endif
}

open class MXMetricPayload: NSObject, @unchecked Sendable {
    open internal(set) var latestApplicationVersion = "1.0"
    open func jsonRepresentation() -> Data { Data("{}".utf8) }
}
