// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CCurl
internal import TrackwayDestinationKit

/// A request in progress.
///
/// It consists of libcurl's handle and the memory that must not move until libcurl is done. It belongs to the network
/// thread.
final class CurlTransfer {
    let handle: UnsafeMutableRawPointer
    private var answer: CurlResponse
    private let sink: CurlSink?
    private var hasOpened = false
    private var lines: UnsafeMutablePointer<curl_slist>?
    private let body: UnsafeMutableBufferPointer<UInt8>
    private let message: UnsafeMutableBufferPointer<CChar>

    /// Prepares a request.
    ///
    /// - Throws: `TransportError` if memory is exhausted or libcurl rejects the request.
    init(_ request: CurlRequest, settings: NetworkSettings, longestBody: Int) throws(TransportError) {
        guard let handle = curl_easy_init() else {
            throw TransportError(.other, "libcurl cannot create a handle for the request")
        }
        self.handle = handle
        answer = CurlResponse(longestBody: longestBody)
        sink = request.sink
        body = .allocate(capacity: max(1, request.body.count))
        _ = body.initialize(fromContentsOf: request.body)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0)
        ccurl_prepare(handle)
        apply(settings, isSecure: request.isSecure)
        ccurl_set_address(handle, CURLOPT_ERRORBUFFER, message.baseAddress)
        receive()
        let code = configure(request)
        guard code == CURLE_OK else { throw TransportError(code, "libcurl rejected the request") }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(lines)
        body.deallocate()
        message.deallocate()
    }

    // MARK: Preparation

    private func apply(_ settings: NetworkSettings, isSecure: Bool) {
        // The option is set even without a proxy, because libcurl would otherwise read the environment.
        ccurl_set_text(handle, CURLOPT_PROXY, (isSecure ? settings.httpsProxy : settings.httpProxy) ?? "")
        ccurl_set_text(handle, CURLOPT_NOPROXY, settings.directHosts)
        if let file = settings.authorityFile { ccurl_set_text(handle, CURLOPT_CAINFO, file) }
        if let folder = settings.authorityFolder { ccurl_set_text(handle, CURLOPT_CAPATH, folder) }
    }

    private func configure(_ request: CurlRequest) -> CURLcode {
        var code = ccurl_set_text(handle, CURLOPT_URL, request.url)
        switch request.method {
        case "GET" where request.body.isEmpty:
            ccurl_set_number(handle, CURLOPT_HTTPGET, 1)
        case "HEAD":
            ccurl_set_number(handle, CURLOPT_NOBODY, 1)
        default:
            ccurl_set_number(handle, CURLOPT_POST, 1)
            ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(request.body.count))
            ccurl_set_address(handle, CURLOPT_POSTFIELDS, body.baseAddress)
            if request.method != "POST" { ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method) }
        }
        for line in request.headerLines {
            guard let longer = curl_slist_append(lines, line) else { return CURLE_OUT_OF_MEMORY }
            lines = longer
        }
        if code == CURLE_OK { code = ccurl_set_address(handle, CURLOPT_HTTPHEADER, lines) }
        return code
    }

    private func receive() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_address(handle, CURLOPT_HEADERDATA, context)
        ccurl_set_sink(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlTransfer.take(bytes, size * count, context) { $0.receiveLine($1) }
        }
        ccurl_set_address(handle, CURLOPT_WRITEDATA, context)
        ccurl_set_sink(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlTransfer.take(bytes, size * count, context) { $0.receiveChunk($1) }
        }
    }

    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard answer.receiveLine(line) else { return false }
        if let sink, answer.hasHead, status == 200, !hasOpened {
            hasOpened = true
            sink.opened()
        }
        return true
    }

    private func receiveChunk(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let sink, hasOpened else { return answer.receiveChunk(piece) }
        sink.piece(Array(piece))
        return true
    }

    /// Passes received bytes on to the response.
    ///
    /// A return value of 0 makes libcurl stop the transfer.
    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ body: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let context else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        return body(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    // MARK: Completion

    /// Returns the transfer's result after libcurl has ended it.
    func outcome(_ code: CURLcode) -> CurlDriver.Outcome {
        switch answer.truncation {
        case .head:
            return .failure(TransportError(.other, "the response's headers exceed \(CurlResponse.longestHead) bytes"))
        case .body:
            return .success(response())
        case nil:
            break
        }
        guard code == CURLE_OK else {
            var osError = 0
            ccurl_get_number(handle, CURLINFO_OS_ERRNO, &osError)
            return .failure(TransportError(code, errorText, systemCode: Int32(clamping: osError)))
        }
        // libcurl reports success for a truncated header section. Its fields may then be incomplete.
        guard answer.hasHead, status >= 200 else {
            return .failure(TransportError(.refused, "the connection closed within the response's headers"))
        }
        return .success(response())
    }

    /// libcurl's error message; empty if it provided none.
    private var errorText: String { message.baseAddress.map { String(cString: $0) } ?? "" }

    private var status: Int {
        var status = 0
        ccurl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    private func response() -> WireResponse {
        var address: UnsafePointer<CChar>?
        ccurl_get_text(handle, CURLINFO_EFFECTIVE_URL, &address)
        return WireResponse(
            status: status,
            headers: answer.headers,
            body: answer.body,
            url: address.map { String(cString: $0) }
        )
    }
}
#endif
