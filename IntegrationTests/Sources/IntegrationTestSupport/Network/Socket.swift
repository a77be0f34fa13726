// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc

/// A TCP connection on loopback for use by one thread.
///
/// Every wait has a timeout.
package final class Socket {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Receives all bytes from the peer, in order.
    var onReceive: (([UInt8]) -> Void)?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: Int(TimeoutError.timeout), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port on loopback.
    ///
    /// - Parameter source: The last three numbers of the own address 127.x.y.z; nil to let the system choose one.
    package convenience init(port: UInt16, from source: (UInt8, UInt8, UInt8)? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError("socket", errno: errno) }
        self.init(descriptor)
        if let source {
            var own = sockaddr_in(loopback: 0)
            let number = 127 << 24 | UInt32(source.0) << 16 | UInt32(source.1) << 8 | UInt32(source.2)
            own.sin_addr.s_addr = in_addr_t(number).bigEndian
            let code = withUnsafePointer(to: &own) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard code == 0 else { throw TestSupportError("binding to 127.\(source)", errno: errno) }
        }
        var address = sockaddr_in(loopback: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw TestSupportError("connecting to port \(port)", errno: errno) }
    }

    deinit {
        // An explicit shutdown, because a process that was started at the wrong moment may hold a copy of the
        // descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Sends bytes.
    ///
    /// Returns false if the peer has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Closes the sending side.
    package func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads a complete message; nil if the peer closed the connection before it was complete.
    ///
    /// - Parameter hasBody: false for a response to a request whose responses have no body.
    package func receive(hasBody: Bool = true) -> HTTPMessage? {
        let blankLine = Array("\r\n\r\n".utf8)
        var end = buffer.firstRange(of: blankLine)
        while end == nil {
            guard receiveMore() else { return nil }
            end = buffer.firstRange(of: blankLine)
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var message = HTTPMessage(startLine: lines.first.map(String.init) ?? "")
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            message.headers.append((parts[0].lowercased(), String(value)))
        }
        buffer.removeFirst(end.upperBound)
        guard hasBody else { return message }
        if message[header: "transfer-encoding"] == "chunked" {
            guard let body = receiveChunks() else { return nil }
            message.body = body
        } else if let length = message[header: "content-length"].flatMap({ Int($0) }) {
            guard let body = receiveBuffered(length) else { return nil }
            message.body = body
        }
        return message
    }

    private func receiveChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = takeLine() {
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { return nil }
            if size == 0 {
                while let trailer = takeLine(), !trailer.isEmpty {}
                return body
            }
            guard let chunk = receiveBuffered(size), takeLine() != nil else { return nil }
            body += chunk
        }
        return nil
    }

    private func takeLine() -> String? {
        let end = Array("\r\n".utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeFirst(range.upperBound) }
                return String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
            }
            guard receiveMore() else { return nil }
        }
    }

    private func receiveBuffered(_ count: Int) -> [UInt8]? {
        while buffer.count < count {
            guard receiveMore() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func receiveMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        onReceive?(Array(chunk.prefix(count)))
        return true
    }
}

extension sockaddr_in {
    /// The loopback address with this port; 0 lets the system choose one.
    init(loopback port: UInt16) {
        self.init()
        sin_family = sa_family_t(AF_INET)
        sin_port = port.bigEndian
        sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    }
}
