// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import NIOCore

/// Sends requests to a ClickHouse server over HTTP.
///
/// Thread-safe.
package struct ClickHouseClient: Sendable {
    /// The timeouts of requests.
    package struct Times: Sendable, Hashable {
        /// The timeout of a query that is expected to finish quickly.
        package var query: Duration = .seconds(30)
        /// The timeout of inserts and of queries that read large amounts of data.
        package var longRunning: Duration = .seconds(300)

        /// Creates the default timeouts.
        package init() {}
    }

    /// Rows sent with a query, which reads them as a table.
    struct ExternalTable: Sendable {
        var name: String
        var structure: String
        var rows: [UInt8]
    }

    /// The server's address.
    package let address: ClickHouseAddress
    /// The option that contains the address, for messages.
    package let option: String
    private let credentials: ClickHouseCredentials?
    private let tls: TLSClient?
    private let times: Times

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - credentials: The credentials; nil for the server's user `default`, without a password.
    ///   - tls: The TLS client that encrypts connections; if nil, no request is sent to an address that requires
    ///     encryption.
    ///   - option: The option that contains the address, for messages.
    package init(
        _ address: ClickHouseAddress,
        credentials: ClickHouseCredentials? = nil,
        tls: TLSClient? = nil,
        option: String = "--clickhouse",
        times: Times = Times()
    ) {
        self.address = address
        self.option = option
        self.credentials = credentials
        self.tls = tls
        self.times = times
    }

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - query: One statement.
    ///   - settings: Settings and other parameters of the request.
    ///   - database: Whether the database already exists.
    /// - Returns: The response body.
    /// - Throws: ``ColumnFailure``. The statement may have taken effect anyway.
    func run(
        _ query: String,
        _ settings: [(String, String)] = [],
        database: Bool = true,
        isLongRunning: Bool = false
    ) async throws(ColumnFailure) -> [UInt8] {
        try await send([], settings, database, contentType: nil, body: Array(query.utf8), isLongRunning)
    }

    /// Writes rows.
    ///
    /// - Parameter statement: The `INSERT` statement for the rows.
    /// - Throws: ``ColumnFailure``. The rows may have been written anyway.
    func insert(
        _ statement: String,
        _ rows: [UInt8],
        _ settings: [(String, String)]
    ) async throws(ColumnFailure) {
        _ = try await send([("query", statement)], settings, true, contentType: nil, body: rows, true)
    }

    /// Runs a query, sending the rows of external tables with it.
    ///
    /// - Throws: ``ColumnFailure``.
    func run(_ query: String, with tables: [ExternalTable]) async throws(ColumnFailure) -> [UInt8] {
        let (parameters, contentType, body) = Self.form(query, tables)
        return try await send(parameters, [], true, contentType: contentType, body: body, true)
    }

    /// Returns the parameters, content type, and body of a request with tables.
    private static func form(
        _ query: String,
        _ tables: [ExternalTable]
    ) -> (parameters: [(String, String)], contentType: String, body: [UInt8]) {
        // Rows are arbitrary bytes, so the boundary must be unlikely to occur in them by chance.
        let mark = "trackway-6f1d0c2b9a7e4853-\(tables.reduce(0) { $0 + $1.rows.count })"
        var body: [UInt8] = []
        var parameters = [("query", query)]
        for table in tables {
            parameters += [("\(table.name)_structure", table.structure), ("\(table.name)_format", "RowBinary")]
            let head =
                "--\(mark)\r\nContent-Disposition: form-data; name=\"\(table.name)\"; filename=\"\(table.name)\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n"
            body += Array(head.utf8) + table.rows + [0x0d, 0x0a]
        }
        body += Array("--\(mark)--\r\n".utf8)
        return (parameters, "multipart/form-data; boundary=\(mark)", body)
    }

    private func send(
        _ parameters: [(String, String)],
        _ settings: [(String, String)],
        _ database: Bool,
        contentType: String?,
        body: [UInt8],
        _ isLongRunning: Bool
    ) async throws(ColumnFailure) -> [UInt8] {
        let request = request(parameters + settings, database, contentType: contentType, body: body)
        let answer: HTTPExchange.Response
        do {
            answer = try await HTTPExchange.post(
                request,
                to: try target(),
                within: isLongRunning ? times.longRunning : times.query
            )
        } catch {
            throw ColumnFailure(error, at: address, option: option)
        }
        if let failure = failure(of: answer) { throw failure }
        return answer.body
    }

    /// Runs a read-only query and delivers its result in pieces.
    ///
    /// - Parameters:
    ///   - query: One statement.
    ///   - tables: External tables to send with the query.
    ///   - settings: Settings and other parameters of the request.
    ///   - timeout: The time limit for the whole exchange. The connection closes when the limit has passed, or when the
    ///     task is canceled.
    ///   - take: Called with each piece.
    /// - Throws: ``ColumnFailure``, the errors of `take`, and `CancellationError`.
    func read(
        _ query: String,
        with tables: [ExternalTable] = [],
        _ settings: [(String, String)],
        within timeout: Duration,
        _ take: (ByteBuffer) throws -> Void
    ) async throws {
        let request: HTTPExchange.Request
        if tables.isEmpty {
            request = self.request(settings, true, contentType: nil, body: Array(query.utf8))
        } else {
            let (parameters, contentType, body) = Self.form(query, tables)
            request = self.request(parameters + settings, true, contentType: contentType, body: body)
        }
        let answer: HTTPExchange.Response
        do {
            answer = try await HTTPStream.post(request, to: try target(), within: timeout, take)
        } catch let failure as HTTPExchange.Failure {
            throw ColumnFailure(failure, at: address, option: option)
        }
        if let failure = failure(of: answer) { throw failure }
    }

    private func target() throws(HTTPExchange.Failure) -> HTTPExchange.Target {
        guard address.isEncrypted else { return HTTPExchange.Target(host: address.host, port: address.port) }
        // There is no fallback to an unencrypted connection.
        guard let tls else { throw HTTPExchange.Failure(reason: "TLS is not available") }
        return HTTPExchange.Target(host: address.host, port: address.port, tls: tls)
    }

    private func failure(of answer: HTTPExchange.Response) -> ColumnFailure? {
        ColumnFailure(answer, at: address, user: credentials?.user ?? "default", option: option)
    }

    private func request(
        _ parameters: [(String, String)],
        _ database: Bool,
        contentType: String?,
        body: [UInt8]
    ) -> HTTPExchange.Request {
        // Without this setting, the status would not reflect errors that occur later in the query.
        var all = parameters + [("wait_end_of_query", "1")]
        if database { all.append(("database", address.database)) }
        let path = "/?" + all.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        var headers: [(String, String)] = []
        if let contentType { headers.append(("Content-Type", contentType)) }
        if let credentials {
            headers += [("X-ClickHouse-User", credentials.user), ("X-ClickHouse-Key", credentials.password)]
        }
        return HTTPExchange.Request(path: path, headers: headers, body: body)
    }

    /// Returns the percent-encoded text.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.count < 2 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }
}
