// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS

/// Failures derived from server responses, with suggested fixes.
extension ColumnFailure {
    /// The ClickHouse error codes that are handled separately.
    private enum ErrorNumber {
        static let tables: Set<Int> = [10, 16, 36, 47, 53, 60, 81, 117]
        static let refused: Set<Int> = [192, 193, 194, 195, 291, 497, 516]
        static let readOnly: Set<Int> = [164, 242]
        static let full: Set<Int> = [75, 243]
        /// A partition exceeds the maximum size that may be dropped.
        static let large = 359
        static let busy: Set<Int> = [159, 160, 202, 209, 241, 252, 439]
    }

    /// Creates the failure for a request that got no response.
    init(_ failure: HTTPExchange.Failure, at address: ClickHouseAddress, option: String = "--clickhouse") {
        if let encryption = failure.encryption {
            self.init(
                encryption == .notTLS ? .notClickHouse : .unreachable,
                "ClickHouse at \(address.server) \(encryption.message(option: option))."
            )
        } else if failure.reason.contains("not HTTP") {
            let port =
                address.isEncrypted
                ? "its HTTPS port to \(option) (https_port, usually 8443)"
                : "its HTTP port to \(option) (usually 8123, not 9000), or write https:// if it is an HTTPS port"
            self.init(.notClickHouse, "\(address.server) is not ClickHouse: \(failure.reason). Pass \(port).")
        } else {
            let port =
                address.isEncrypted
                ? "its HTTPS port" : "its HTTP port; an HTTPS port needs https:// before the address"
            self.init(
                .unreachable,
                "ClickHouse at \(address.server) cannot be reached: \(failure.reason). Check that it is running, and "
                    + "that \(option) names \(port)."
            )
        }
    }

    /// Creates the failure for a response; nil if the response is a success.
    ///
    /// - Parameter user: The user who sent the request.
    init?(_ answer: HTTPExchange.Response, at address: ClickHouseAddress, user: String, option: String = "--clickhouse")
    {
        if answer.status == 200 { return nil }
        let text =
            String(decoding: answer.body.prefix(400), as: UTF8.self)
            .split(separator: "\n").first.map(String.init) ?? ""
        let server = "ClickHouse at \(address.server)"
        guard let number = Self.number(in: text) else {
            self.init(
                .notClickHouse,
                "\(address.server) is not ClickHouse: it responded with status \(answer.status) and no ClickHouse "
                    + "error. Pass its HTTP port to \(option)."
            )
            return
        }
        let report = "it reports “\(Self.message(of: text))” (\(number))"
        let isFull = text.contains("No space left") || text.contains("NOT_ENOUGH_SPACE")
        switch number {
        case _ where isFull || ErrorNumber.full.contains(number):
            self.init(
                .full,
                "\(server) has no disk space left: \(report). Free disk space there; the stream keeps its records."
            )
        case ErrorNumber.large:
            self.init(
                .other,
                "\(server) refuses to drop this much data at once: \(report). Set max_partition_size_to_drop in its "
                    + "configuration to 0, or create the file that its message names, and try again."
            )
        case let number where ErrorNumber.refused.contains(number):
            self.init(
                .denied,
                "\(server) denies the user \(user) permission: \(report). Check \(option)-credentials, and the user's "
                    + "permissions in the database \(address.database)."
            )
        case let number where ErrorNumber.readOnly.contains(number):
            self.init(
                .readOnly,
                "\(server) rejects writes: \(report). Check the setting readonly of the user \(user), and the tables."
            )
        case let number where ErrorNumber.tables.contains(number):
            self.init(
                .tables,
                "\(server) lacks required tables in the database \(address.database): \(report). Create them with "
                    + "`trackway-cluster cluster init` and \(address), or pass the address of another database."
            )
        case let number where ErrorNumber.busy.contains(number):
            self.init(
                .busy,
                "\(server) is overloaded: \(report). The request will be retried; check its memory and other workload."
            )
        default:
            self.init(.other, "\(server) failed: \(report). See its log for details.")
        }
        self.number = number
    }

    /// Returns the error code in `Code: 60, e.displayText() = …`, or `Code: 60. DB::Exception: …`.
    private static func number(in text: String) -> Int? {
        guard text.hasPrefix("Code: ") else { return nil }
        return Int(text.dropFirst("Code: ".count).prefix { $0.isNumber })
    }

    private static func message(of text: String) -> String {
        var message = text[...]
        if let mark = text.firstRange(of: "DB::Exception: ") { message = text[mark.upperBound...] }
        if let end = message.firstRange(of: ", e.what()") { message = message[..<end.lowerBound] }
        return String(message.prefix(200))
    }
}
