// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CCurl
internal import CTrackway
internal import TrackwayCore
internal import TrackwayDestinationKit

/// A transport's single thread.
///
/// The thread runs all transfers and sleeps while they wait.
struct CurlThread {
    let driver: CurlDriver
    let wake: WakeSignal

    /// The result of libcurl's global initialization, which runs once per process.
    ///
    /// The code is zero on success.
    private static let globalInitCode: CURLcode = {
        let code = curl_global_init(Int(CURL_GLOBAL_ALL))
        // This guard is registered after libcurl's own exit handler, because exit handlers run in reverse order.
        ctrackway_exit_guard()
        return code
    }()

    /// Prevents libcurl from opening the descriptors of closed standard streams.
    private static func withStandardDescriptorsReserved<Result>(_ work: () -> Result) -> Result {
        let plugged = ctrackway_reserve_standard_descriptors()
        defer { ctrackway_release_standard_descriptors(plugged) }
        return work()
    }

    /// Runs transfers until the driver ends the thread.
    func run() {
        guard Self.globalInitCode == CURLE_OK, let multi = Self.withStandardDescriptorsReserved({ curl_multi_init() })
        else {
            driver.failAll(TransportError(.other, "cannot initialize libcurl (\(Self.globalInitCode.rawValue))"))
            return
        }
        // This is the maximum number of idle connections: enough for the back ends that an app is likely to use.
        ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 8)
        var transfers: [CurlExchangeStateMachine.ID: CurlTransfer] = [:]
        while true {
            guard ctrackway_exit_guard_enter() else { Self.suspendUntilExit() }
            let (turn, requests, sleeps) = driver.nextTurn()
            for id in turn.abandoned {
                if let transfer = transfers.removeValue(forKey: id) { curl_multi_remove_handle(multi, transfer.handle) }
            }
            if turn.ends { break }
            for id in turn.begins {
                if let request = requests[id] { begin(id, request, multi, &transfers) }
            }
            // Resolving a name opens descriptors inside the library.
            let health = Self.withStandardDescriptorsReserved { ccurl_perform(multi) }
            let hasEnded = reportEnds(multi, &transfers)
            ctrackway_exit_guard_leave()
            guard health == CURLM_OK else {
                if ctrackway_exit_guard_enter() { giveUp(multi, &transfers, health) } else { Self.suspendUntilExit() }
                return
            }
            // A transfer that has just ended may leave the thread without work, so it takes another turn before it
            // sleeps.
            if hasEnded { continue }
            let slept = ccurl_wait(multi, wake.descriptor, Self.milliseconds(sleeps))
            wake.clear()
            guard slept == CURLM_OK else {
                if ctrackway_exit_guard_enter() { giveUp(multi, &transfers, slept) } else { Self.suspendUntilExit() }
                return
            }
        }
        curl_multi_cleanup(multi)
        ctrackway_exit_guard_leave()
    }

    private func begin(
        _ id: CurlExchangeStateMachine.ID,
        _ request: CurlRequest,
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchangeStateMachine.ID: CurlTransfer]
    ) {
        do throws(TransportError) {
            let transfer = try CurlTransfer(request, settings: driver.settings, longestBody: driver.longestBody)
            let code = curl_multi_add_handle(multi, transfer.handle)
            guard code == CURLM_OK else { throw Self.error(code) }
            transfers[id] = transfer
        } catch {
            driver.complete(id, .failure(error))
        }
    }

    /// Reports the outcomes of ended transfers.
    ///
    /// Returns true if any transfer had ended.
    private func reportEnds(
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchangeStateMachine.ID: CurlTransfer]
    ) -> Bool {
        var hasEnded = false
        var code = CURLE_OK
        while let handle = ccurl_next_ended(multi, &code) {
            hasEnded = true
            curl_multi_remove_handle(multi, handle)
            guard let id = transfers.first(where: { $0.value.handle == handle })?.key,
                let transfer = transfers.removeValue(forKey: id)
            else { continue }
            driver.complete(id, transfer.outcome(code))
        }
        return hasEnded
    }

    /// Ends all transfers because libcurl cannot continue.
    ///
    /// The next request starts from scratch.
    private func giveUp(
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchangeStateMachine.ID: CurlTransfer],
        _ code: CURLMcode
    ) {
        for transfer in transfers.values {
            curl_multi_remove_handle(multi, transfer.handle)
        }
        transfers = [:]
        curl_multi_cleanup(multi)
        ctrackway_exit_guard_leave()
        driver.failAll(Self.error(code))
    }

    private static func error(_ code: CURLMcode) -> TransportError {
        let sentence = curl_multi_strerror(code).map { String(cString: $0) } ?? ""
        return TransportError(.other, "\(sentence) (curl multi \(code.rawValue))")
    }

    /// Stops this thread because the process is exiting.
    ///
    /// Libraries are being unloaded, so the thread must not call them.
    private static func suspendUntilExit() -> Never {
        while true { ctrackway_pause() }
    }

    /// Returns a duration in milliseconds, rounded up.
    ///
    /// A deadline has therefore passed when the thread wakes for it.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let parts = duration.components
        let seconds = min(max(parts.seconds, 0), 3600)
        return Int32(seconds * 1000 + max(parts.attoseconds, 0) / 1_000_000_000_000_000 + 1)
    }
}

/// Wakes a thread that sleeps in `poll`.
///
/// The signal uses one descriptor, which is closed on deinit.
final class WakeSignal: Sendable {
    /// The descriptor, which is readable while a signal is pending.
    let descriptor: Int32

    /// Creates a signal.
    ///
    /// - Returns: nil if the process has no descriptors left.
    init?() {
        descriptor = ctrackway_event_open()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = ctrackway_close(descriptor) }
    }

    /// Signals the thread.
    ///
    /// This function can be called from any thread, and never blocks.
    func signal() {
        ctrackway_event_signal(descriptor)
    }

    func clear() {
        ctrackway_event_clear(descriptor)
    }
}
#endif
