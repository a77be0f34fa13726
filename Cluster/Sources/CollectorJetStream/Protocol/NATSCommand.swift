// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
package import NIOCore
internal import TrackwayCore

/// A command that the client sends.
package enum NATSCommand: Sendable, Hashable {
    /// Identifies the client and sets the connection's options.
    case connect(NATSCredentials?, client: String)
    /// Subscribes to a subject with a number chosen by the client.
    case subscribe(subject: String, subscription: UInt64)
    /// Publishes a message. Subjects must not contain spaces or line endings.
    case publish(subject: String, reply: String?, headers: NATSHeaders?, body: [UInt8])
    /// Asks whether the server is alive.
    case ping
    /// Answers the server's `PING`.
    case pong
}

extension NATSCommand {
    /// Writes the command's bytes.
    package func write(to buffer: inout ByteBuffer) {
        switch self {
        case .connect(let credentials, let client):
            buffer.writeString("CONNECT ")
            buffer.writeBytes(Self.connectOptions(credentials, client: client))
            buffer.writeString("\r\n")
        case .subscribe(let subject, let subscription):
            buffer.writeString("SUB \(subject) \(subscription)\r\n")
        case .publish(let subject, let reply, let headers, let body):
            let reply = reply.map { " " + $0 } ?? ""
            if let headers {
                let bytes = headers.bytes
                buffer.writeString("HPUB \(subject)\(reply) \(bytes.count) \(bytes.count + body.count)\r\n")
                buffer.writeBytes(bytes)
            } else {
                buffer.writeString("PUB \(subject)\(reply) \(body.count)\r\n")
            }
            buffer.writeBytes(body)
            buffer.writeString("\r\n")
        case .ping: buffer.writeString("PING\r\n")
        case .pong: buffer.writeString("PONG\r\n")
        }
    }

    private static func connectOptions(_ credentials: NATSCredentials?, client: String) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("verbose", false)
            writer.member("pedantic", false)
            writer.member("headers", true)
            // A request on a subject without subscribers is answered immediately with status 503.
            writer.member("no_responders", true)
            writer.member("protocol", Int64(1))
            writer.member("lang", "swift")
            writer.member("version", "1")
            writer.member("name", client)
            switch credentials?.authentication {
            case .password(let user, let password):
                writer.member("user", user)
                writer.member("pass", password)
            case .token(let token): writer.member("auth_token", token)
            case nil: break
            }
            writer.endObject()
            return writer.array()
        }
    }
}
