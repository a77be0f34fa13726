// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS

/// What a server's answers mean, and what helps.
extension ColumnFailure {
    /// ClickHouse's numbers of errors, as far as they are told apart.
    private enum ErrorNumber {
        static let tables: Set<Int> = [10, 16, 36, 47, 53, 60, 81, 117]
        static let refused: Set<Int> = [192, 193, 194, 195, 291, 497, 516]
        static let readOnly: Set<Int> = [164, 242]
        static let full: Set<Int> = [75, 243]
        /// A partition is larger than may be dropped.
        static let large = 359
        static let busy: Set<Int> = [159, 160, 202, 209, 241, 252, 439]
    }

    /// Nothing came back.
    init(_ failure: HTTPExchange.Failure, at address: ClickHouseAddress, option: String = "--to") {
        if let encryption = failure.encryption {
            self.init(
                encryption == .noTLS ? .stranger : .unreachable,
                "ClickHouse at \(address.server) \(encryption.words(option: option))."
            )
        } else if failure.reason.contains("not HTTP") {
            let port =
                address.isEncrypted
                ? "its port of HTTPS behind \(option) (https_port, usually 8443)"
                : "its port of HTTP behind \(option) (usually 8123, not 9000), or write https:// if it is one of HTTPS"
            self.init(.stranger, "At \(address.server) is no ClickHouse: \(failure.reason). Name \(port).")
        } else {
            let port =
                address.isEncrypted
                ? "its port of HTTPS" : "its port of HTTP; one of HTTPS wants https:// before the address"
            self.init(
                .unreachable,
                "ClickHouse at \(address.server) cannot be reached: \(failure.reason). See whether it runs, and whether \(option) names "
                    + "\(port)."
            )
        }
    }

    /// What an answer means; nil when it is what was asked for.
    ///
    /// - Parameter user: Who asked.
    init?(_ answer: HTTPExchange.Answer, at address: ClickHouseAddress, user: String, option: String = "--to") {
        if answer.status == 200 { return nil }
        let text =
            String(decoding: answer.body.prefix(400), as: UTF8.self)
            .split(separator: "\n").first.map(String.init) ?? ""
        let server = "ClickHouse at \(address.server)"
        guard let number = Self.number(in: text) else {
            self.init(
                .stranger,
                "At \(address.server) is no ClickHouse: it answers with status \(answer.status) and no error of its kind. Name its port of "
                    + "HTTP behind \(option)."
            )
            return
        }
        let said = "it says “\(Self.words(of: text))” (\(number))"
        let isFull = text.contains("No space left") || text.contains("NOT_ENOUGH_SPACE")
        switch number {
        case _ where isFull || ErrorNumber.full.contains(number):
            self.init(
                .full,
                "\(server) has no room on its disk: \(said). Make room there; what is in the stream waits."
            )
        case ErrorNumber.large:
            self.init(
                .other,
                "\(server) does not drop as much at once: \(said). Set max_partition_size_to_drop in its configuration to 0, or make the "
                    + "file that its words name, and try again."
            )
        case let number where ErrorNumber.refused.contains(number):
            self.init(
                .refused,
                "\(server) does not let the user \(user) do this: \(said). See \(option)-credentials, and what the user may do in the database "
                    + "\(address.database)."
            )
        case let number where ErrorNumber.readOnly.contains(number):
            self.init(
                .readOnly,
                "\(server) takes no writes: \(said). See the setting readonly of the user \(user), and whether its tables are read-only."
            )
        case let number where ErrorNumber.tables.contains(number):
            self.init(
                .tables,
                "\(server) has not the tables in the database \(address.database) that are needed: \(said). Make them with `trackway "
                    + "engine init` and \(address), or name another database there."
            )
        case let number where ErrorNumber.busy.contains(number):
            self.init(
                .busy,
                "\(server) has too much to do: \(said). It is tried again; see its memory, and what else it works on."
            )
        default:
            self.init(.other, "\(server) fails: \(said). Its log has more.")
        }
        self.number = number
    }

    /// `Code: 60, e.displayText() = …`, or `Code: 60. DB::Exception: …`.
    private static func number(in text: String) -> Int? {
        guard text.hasPrefix("Code: ") else { return nil }
        return Int(text.dropFirst("Code: ".count).prefix { $0.isNumber })
    }

    private static func words(of text: String) -> String {
        var words = text[...]
        if let mark = text.firstRange(of: "DB::Exception: ") { words = text[mark.upperBound...] }
        if let end = words.firstRange(of: ", e.what()") { words = words[..<end.lowerBound] }
        return String(words.prefix(200))
    }
}
