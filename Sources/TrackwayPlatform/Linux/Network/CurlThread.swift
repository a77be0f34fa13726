// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CCurl
internal import CTrackway
internal import TrackwayEvents
internal import TrackwayWire

/// The one thread of a transport: runs all of its transfers, and sleeps while they wait.
struct CurlThread {
    let driver: CurlDriver
    let wake: WakeSignal

    /// libcurl's own start, once for the process. Zero when it worked.
    private static let begun: CURLcode = {
        let code = curl_global_init(Int(CURL_GLOBAL_ALL))
        // After the library's own: exit handlers run in the opposite order.
        ctrackway_exit_guard()
        return code
    }()

    /// Has the library open no descriptor of a standard stream that is closed.
    private static func aboveStandard<Result>(_ work: () -> Result) -> Result {
        let plugged = ctrackway_plug_standard()
        defer { ctrackway_unplug_standard(plugged) }
        return work()
    }

    /// Works until the driver lets it go.
    func run() {
        guard Self.begun == CURLE_OK, let multi = Self.aboveStandard({ curl_multi_init() }) else {
            driver.failed(TransportError(.other, "libcurl cannot begin (\(Self.begun.rawValue))"))
            return
        }
        // Connections that are kept; one each for as many back-ends as an app is likely to have.
        ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, 8)
        var transfers: [CurlExchanges.ID: CurlTransfer] = [:]
        while true {
            guard ctrackway_exit_guard_enter() else { Self.stopForGood() }
            let (turn, requests, sleeps) = driver.turn()
            for id in turn.abandoned {
                if let transfer = transfers.removeValue(forKey: id) { curl_multi_remove_handle(multi, transfer.handle) }
            }
            if turn.ends { break }
            for id in turn.begins {
                if let request = requests[id] { begin(id, request, multi, &transfers) }
            }
            // Looking up a name opens descriptors inside of the library.
            let health = Self.aboveStandard { ccurl_perform(multi) }
            let hasEnded = reportEnds(multi, &transfers)
            ctrackway_exit_guard_leave()
            guard health == CURLM_OK else {
                if ctrackway_exit_guard_enter() { giveUp(multi, &transfers, health) } else { Self.stopForGood() }
                return
            }
            // What has just ended may leave the thread without work: it asks again before it sleeps.
            if hasEnded { continue }
            let slept = ccurl_wait(multi, wake.descriptor, Self.milliseconds(sleeps))
            wake.clear()
            guard slept == CURLM_OK else {
                if ctrackway_exit_guard_enter() { giveUp(multi, &transfers, slept) } else { Self.stopForGood() }
                return
            }
        }
        curl_multi_cleanup(multi)
        ctrackway_exit_guard_leave()
    }

    private func begin(
        _ id: CurlExchanges.ID,
        _ request: CurlRequest,
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchanges.ID: CurlTransfer]
    ) {
        do throws(TransportError) {
            let transfer = try CurlTransfer(request, settings: driver.settings, longestBody: driver.longestBody)
            let code = curl_multi_add_handle(multi, transfer.handle)
            guard code == CURLM_OK else { throw Self.error(code) }
            transfers[id] = transfer
        } catch {
            driver.ended(id, .failure(error))
        }
    }

    /// Tells whoever waits for transfers that ended. True when there were any.
    private func reportEnds(
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchanges.ID: CurlTransfer]
    ) -> Bool {
        var hasEnded = false
        var code = CURLE_OK
        while let handle = ccurl_next_ended(multi, &code) {
            hasEnded = true
            curl_multi_remove_handle(multi, handle)
            guard let id = transfers.first(where: { $0.value.handle == handle })?.key,
                let transfer = transfers.removeValue(forKey: id)
            else { continue }
            driver.ended(id, transfer.outcome(code))
        }
        return hasEnded
    }

    /// The library cannot go on: everything ends, and the next request begins anew.
    private func giveUp(
        _ multi: UnsafeMutableRawPointer,
        _ transfers: inout [CurlExchanges.ID: CurlTransfer],
        _ code: CURLMcode
    ) {
        for transfer in transfers.values {
            curl_multi_remove_handle(multi, transfer.handle)
        }
        transfers = [:]
        curl_multi_cleanup(multi)
        ctrackway_exit_guard_leave()
        driver.failed(Self.error(code))
    }

    private static func error(_ code: CURLMcode) -> TransportError {
        let sentence = curl_multi_strerror(code).map { String(cString: $0) } ?? ""
        return TransportError(.other, "\(sentence) (curl multi \(code.rawValue))")
    }

    /// The process exits: libraries are being taken down, and this thread touches nothing any more.
    private static func stopForGood() -> Never {
        while true { ctrackway_pause() }
    }

    /// Rounded up, so that a deadline has passed when the thread wakes for it.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let parts = duration.components
        let seconds = min(max(parts.seconds, 0), 3600)
        return Int32(seconds * 1000 + max(parts.attoseconds, 0) / 1_000_000_000_000_000 + 1)
    }
}

/// Wakes a thread that sleeps in `poll`. One descriptor, closed with the last reference.
final class WakeSignal: Sendable {
    /// Readable while it is signalled.
    let descriptor: Int32

    /// - Returns: nil when the process has no descriptors left.
    init?() {
        descriptor = ctrackway_event_open()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = ctrackway_close(descriptor) }
    }

    /// Any thread; never waits.
    func signal() {
        ctrackway_event_signal(descriptor)
    }

    func clear() {
        ctrackway_event_clear(descriptor)
    }
}
#endif
