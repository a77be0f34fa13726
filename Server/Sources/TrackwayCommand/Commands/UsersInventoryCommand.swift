// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// Shows what the collector holds about people.
struct UsersInventoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inventory",
        abstract: "Show what the collector holds about people.",
        discussion: """
            For records of processing, and for the scope of a data breach: the number of
            users, visitors, and installations, the period, the attributes of users, the
            identifiers in contexts, attributes of events that may be personal, and the
            keys that may read.

            An attribute of an event may be personal if its name says so, or if one of
            its most frequent values is an e-mail address. Review the others with
            `trackway catalog NAME`.

            EXAMPLES
              # Show what would be affected by a breach.
              trackway users inventory
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Option(help: "Maximum number of event names whose attributes are checked.")
    var names = 200

    @Flag(help: "Print the inventory as one line of JSON.")
    var json = false

    /// Checks the option values.
    func validate() throws {
        guard (0...500).contains(names) else { throw ValidationError("--names takes 0 to 500") }
    }

    /// Queries the collector and prints the inventory.
    func run() async throws {
        let client = CollectorClient(try collector.address())
        let inventory = try await client.get("/v1/inventory", timeout: 120)
        let (attributes, total) = try await eventAttributes(client)
        if json {
            var members = inventory.object?.members ?? []
            members.append(.init(key: "event_attributes", value: .array(attributes.map { .string($0) })))
            return Console.standard.write(json: .object(.init(members)))
        }
        let text = InventoryText(style: Console.standard.style)
        Console.standard.write(text.lines(inventory, eventAttributes: attributes, names: min(names, total), of: total))
    }

    /// Returns attributes of events that may be personal, as `event.attribute`, and the number of event names.
    private func eventAttributes(_ client: CollectorClient) async throws -> (found: [String], total: Int) {
        let page = try await client.get("/v1/catalogue", query: [("limit", "500")], timeout: 120)
        let known = (page["events"]?.array ?? []).compactMap { $0["name"]?.string }
        var found: [String] = []
        for name in known.prefix(names) {
            let description = try await client.get("/v1/catalogue/" + CollectorAddress.escape(name), timeout: 120)
            for attribute in description["attributes"]?.array ?? [] {
                guard let key = attribute["name"]?.string else { continue }
                let values = (attribute["values"]?.array ?? []).compactMap { $0["value"]?.string }
                if PersonalDataHint.isLikely(name: key, values: values) { found.append(name + "." + key) }
            }
        }
        return (found, known.count)
    }
}

/// Recognizes attributes that may be personal, by their names and values.
enum PersonalDataHint {
    private static let words: Set<String> = [
        "email", "mail", "phone", "telephone", "tel", "mobile", "msisdn", "firstname", "lastname", "fullname",
        "surname", "username", "login", "address", "street", "zip", "postcode", "postal", "city", "birth", "birthday",
        "birthdate", "dob", "age", "gender", "sex", "ip", "latitude", "longitude", "lat", "lon", "lng", "location",
        "iban", "card", "passport", "ssn", "tax", "salary", "religion", "health", "person", "customer", "user",
    ]

    /// Whether an attribute may be personal.
    ///
    /// - Parameter values: Its most frequent values.
    static func isLikely(name: String, values: [String]) -> Bool {
        let parts = parts(of: name)
        // “first_name” and “firstName” are names of people; “name” alone often is not.
        let isPersonName =
            parts.contains("name") && !parts.isDisjoint(with: ["first", "last", "full", "user", "given"])
        return isPersonName || !parts.isDisjoint(with: words) || values.contains(where: isEmailAddress)
    }

    /// Returns the words of a name in snake case, camel case, or with other separators, in lowercase.
    private static func parts(of name: String) -> Set<String> {
        var parts: [String] = [""]
        for letter in name {
            if !letter.isLetter && !letter.isNumber {
                parts.append("")
            } else if letter.isUppercase, let last = parts.last?.last, !last.isUppercase {
                parts.append(String(letter))
            } else {
                parts[parts.count - 1].append(letter)
            }
        }
        return Set(parts.map { $0.lowercased() }).subtracting([""])
    }

    private static func isEmailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let host = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return host.count >= 2 && host.allSatisfy { !$0.isEmpty }
    }
}
