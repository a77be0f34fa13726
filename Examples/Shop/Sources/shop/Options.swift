// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// What the command line asks for.
struct Options: Sendable {
    /// How many visitors come by themselves; `nil` for a person at the terminal.
    var visitors: Int?
    /// The same seed, the same visits.
    var seed: UInt64 = 1
    /// How many times faster than people the visitors are; `nil` for as fast as possible.
    var pace: Double? = 1_000
    /// Where the collector listens.
    var collector = "http://127.0.0.1:8787"
    /// What the collector knows the shop by.
    var key = "dev"
    /// Further destinations: id and address.
    var others: [(id: DestinationID, url: String)] = []
    /// Where events wait; the system's place when `nil`.
    var folder: String?
    /// Who visits, when it is a person.
    var name: String?
    /// Which phone the shop plays; this machine as it is when `nil`.
    var phone: UInt64?
    /// Who alone hears of the till: one of the further destinations.
    var till: DestinationID?
    /// Whether every second visitor takes consent back for a moment.
    var wavers = false
    /// Where usage reports go, if they do.
    var usage: String?
    /// How many visitors leave before consent is given; nil when it is given from the start.
    var agreesAfter: Int?
    /// Whether everything is forgotten in the end.
    var forgets = false
    /// Whether the ledger is shown as JSON.
    var wantsJSON = false
    /// Whether only the help is wanted.
    var wantsHelp = false

    static let help = """
        A small shop in the terminal, instrumented with Trackway.

        Usage: shop [options]

          --visitors N            let N visitors come by themselves instead of you
          --seed S                the same seed makes the same visits (default 1)
          --pace P                how many times faster than people they are (default 1000; 1 is human; max)
          --collector URL         where the collector listens (default http://127.0.0.1:8787)
          --key KEY               the write key (default: $TRACKWAY_WRITE_KEY, else dev); also --write-key
          --also NAME=URL         a second destination of that name; may be repeated
          --second-destination URL  the same with the name "second"
          --data FOLDER           where events wait (default: the system's place for state); also --storage
          --name NAME             who you are; without it you are a guest until you check out
          --phone N               take snapshots of phone number N, which the shop plays: battery, walk, network, grip
                                  (default: of this machine as it is)
          --till NAME             count the till after each visit, and tell that destination alone
          --waver                 every second visitor takes consent back for a moment: what waits then is dropped
          --usage URL             report the shop's use to a back-end of SAP Mobile Services, too
          --agree-after N         nobody is asked for consent before N visitors have left; what is recorded waits until then
          --forget                in the end everything is forgotten, here and at every destination
          --json                  show the ledger at the end as JSON, and the visitors' steps on standard error
          --help                  this text

        Examples:
          shop --collector http://127.0.0.1:8787 --key dev
          shop --visitors 50 --seed 7 --data /tmp/shop --also audit=http://127.0.0.1:8788

        In the shop, Ctrl-Z steps out to your shell and fg comes back in; Ctrl-C or kill end it. What was recorded by
        then is safe and is sent now or on the next visit.
        """

    /// Reads the arguments.
    ///
    /// - Throws: `UsageError` naming the argument and what would be right.
    init(_ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment) throws(UsageError)
    {
        if let key = environment["TRACKWAY_WRITE_KEY"], !key.isEmpty { self.key = key }
        var rest = arguments[...]
        while let option = rest.popFirst() {
            func value() throws(UsageError) -> String {
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw UsageError(sentence: "\(option) needs a value")
                }
                return value
            }
            switch option {
            case "--visitors":
                guard let count = Int(try value()), (1...1_000_000).contains(count) else {
                    throw UsageError(sentence: "--visitors needs a number from 1 to 1000000")
                }
                visitors = count
            case "--seed":
                guard let seed = UInt64(try value()) else { throw UsageError(sentence: "--seed needs a whole number") }
                self.seed = seed
            case "--pace":
                pace = try Self.pace(value())
            case "--collector":
                collector = try Self.address(value(), of: option)
            case "--key", "--write-key":
                key = try value()
            case "--also":
                others.append(try Self.destination(value()))
            case "--second-destination":
                others.append(("second", try Self.address(value(), of: option)))
            case "--data", "--storage":
                folder = try value()
            case "--name":
                name = try value()
            case "--phone":
                guard let phone = UInt64(try value()) else {
                    throw UsageError(sentence: "--phone needs a whole number")
                }
                self.phone = phone
            case "--till":
                let name = try value()
                guard let till = DestinationID(name) else {
                    throw UsageError(sentence: "--till needs a destination's name, not \"\(name)\"")
                }
                self.till = till
            case "--usage":
                usage = try Self.address(value(), of: option)
            case "--agree-after":
                guard let count = Int(try value()), count >= 0 else {
                    throw UsageError(sentence: "--agree-after needs a number of visitors")
                }
                agreesAfter = count
            case "--waver":
                wavers = true
            case "--forget":
                forgets = true
            case "--json":
                wantsJSON = true
            case "--help", "-h":
                wantsHelp = true
            default:
                throw UsageError(sentence: "what is \"\(option)\"?")
            }
        }
    }

    /// What a back-end of usage reports knows the shop by.
    static let application = "corner-shop"

    /// The collector first, then the others.
    var destinations: [DestinationConfiguration] {
        let all = [(id: DestinationID("collector"), url: collector)] + others
        var destinations: [DestinationConfiguration] = all.compactMap { id, url in
            URL(string: url).map { .collector($0, writeKey: key, id: id) }
        }
        if let usage, let url = URL(string: usage) {
            destinations.append(.sapMobileServices(url, applicationID: Self.application))
        }
        return destinations
    }

    private static func pace(_ text: String) throws(UsageError) -> Double? {
        if text == "max" { return nil }
        guard let pace = Double(text), pace > 0, pace.isFinite else {
            throw UsageError(sentence: "--pace needs a number above 0, or max")
        }
        return pace
    }

    private static func address(_ text: String, of option: String) throws(UsageError) -> String {
        guard let url = URL(string: text), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
            throw UsageError(sentence: "\(option) needs an address such as http://127.0.0.1:8787, not \"\(text)\"")
        }
        return text
    }

    private static func destination(_ text: String) throws(UsageError) -> (id: DestinationID, url: String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let id = DestinationID(parts[0]) else {
            throw UsageError(sentence: "--also needs NAME=URL, such as audit=http://127.0.0.1:8788")
        }
        return (id, try address(parts[1], of: "--also"))
    }
}
