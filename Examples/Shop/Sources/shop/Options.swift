// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayDestinations

/// The command-line options.
struct Options: Sendable {
    /// The number of simulated visitors; `nil` for a person at the terminal.
    var visitors: Int?
    /// The random seed.
    ///
    /// The same seed gives the same visits.
    var seed: UInt64 = 1
    /// The visitors' speed as a multiple of a person's; `nil` for maximum speed.
    var pace: Double? = 1_000
    /// The collector's URL.
    var collector = "http://127.0.0.1:8787"
    /// The write key.
    var key = "dev"
    /// Additional destinations: id and URL.
    var additionalDestinations: [(id: DestinationID, url: String)] = []
    /// The folder for pending events; `nil` for the system's default.
    var folder: String?
    /// The name of the person at the terminal.
    var name: String?
    /// The number of the simulated phone; `nil` for this machine.
    var phone: UInt64?
    /// The additional destination that receives till counts; no other one does.
    var till: DestinationID?
    /// Whether every second visitor briefly withdraws consent.
    var withdrawsConsentBriefly = false
    /// The back end for usage reports, if any.
    var usage: String?
    /// The number of visitors before consent is given; nil if it is given from the start.
    var visitorsBeforeConsent: Int?
    /// Whether all data is erased at the end.
    var erasesAtEnd = false
    /// Whether the ledger is printed as JSON.
    var printsJSON = false
    /// Whether to print the help and exit.
    var printsHelp = false

    static let help = """
        A small shop in the terminal, instrumented with Trackway.

        Usage: shop [options]

          --visitors N            Simulate N visitors instead of shopping yourself.
          --seed S                Random seed of the visits (default: 1).
          --pace P                Speed of visitors relative to people (default:
                                  1000; 1: real time; max: no pauses).
          --collector URL         Collector (default: http://127.0.0.1:8787).
          --key KEY               Write key (default: $TRACKWAY_WRITE_KEY, else
                                  dev). Also: --write-key.
          --also NAME=URL         Another destination. Repeatable.
          --second-destination URL
                                  Another destination, named "second".
          --data FOLDER           Folder for pending events (default: the system's
                                  folder for state). Also: --storage.
          --name NAME             Your name (default: a guest until checkout).
          --phone N               Take snapshots of simulated phone N: battery,
                                  location, network, orientation (default: this machine).
          --till NAME             Send a till count after each visit to this
                                  destination only.
          --waver                 Let every second visitor briefly withdraw
                                  consent, which drops pending events.
          --usage URL             Also report usage to an SAP Mobile Services
                                  back end.
          --agree-after N         Give consent only after N visitors; events stay
                                  pending until then.
          --forget                Erase all data at the end, on this machine and
                                  at every destination.
          --json                  Print the ledger as JSON, and the visitors'
                                  steps to standard error.
          --help                  Print this help.

        Examples:
          shop --collector http://127.0.0.1:8787 --key dev
          shop --visitors 50 --seed 7 --data /tmp/shop --also audit=http://127.0.0.1:8788

        Ctrl-Z suspends the shop and fg resumes it; Ctrl-C or kill ends it.
        Recorded events are stored, and sent now or on the next visit.
        """

    /// Parses the arguments.
    ///
    /// - Throws: `UsageError` with the argument and the expected value.
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
                additionalDestinations.append(try Self.destination(value()))
            case "--second-destination":
                additionalDestinations.append(("second", try Self.address(value(), of: option)))
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
                visitorsBeforeConsent = count
            case "--waver":
                withdrawsConsentBriefly = true
            case "--forget":
                erasesAtEnd = true
            case "--json":
                printsJSON = true
            case "--help", "-h":
                printsHelp = true
            default:
                throw UsageError(sentence: "unknown option \"\(option)\"")
            }
        }
    }

    /// The shop's application id at a back end for usage reports.
    static let application = "corner-shop"

    /// All destinations, with the collector first.
    var destinations: [DestinationConfiguration] {
        let all = [(id: DestinationID("collector"), url: collector)] + additionalDestinations
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
