// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayDestinations

/// The command-line options: pairs `--name value`, or single words.
struct Options {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The installation's folder.
    var data = ""
    /// Destinations: id, address, key.
    var destinations: [(id: String, url: String)] = []
    /// Destinations in other formats: the format, which is also the id, and the address.
    var formatDestinations: [(format: String, url: String)] = []
    /// Sift queues that are added after the app has started: id, address format, rules.
    var queues: [(id: String, url: String, policy: QueuePolicy)] = []
    /// The rules of the queues that follow.
    ///
    /// Without rules, a queue sends only on request.
    private var queuePolicy = QueuePolicy(uploadWhenMoreThan: -1)
    var key = "dev"
    /// The number of recording threads, and the number of events per thread.
    ///
    /// With 0 events, the threads record until the process ends.
    var threads = 0
    var count = 0
    /// Events per second and thread; nil for no limit.
    var rate: Int?
    /// The range of the text length of each event.
    var bytes = 0...0
    var seed: UInt64 = 1
    var flushFirst: Duration?
    var finish: Duration?
    var readsCommands = false
    /// A word that every event carries, to distinguish runs.
    var run = ""
    var policy = DeliveryPolicy()
    var journalBytes: Int?
    var journalAge: Duration?
    var eventBytes: Int?
    var observesLifeCycle = true
    /// Events that are captured automatically.
    var capture = CaptureOptions()
    var sessionTimeout: Duration?
    /// The timeout of a suspension or termination.
    var suspensionTimeout: Duration?
    var appVersion: String?
    /// The initial consent.
    var consent = Consent.granted
    /// Whether to print the initial consent and ledger, and each command before it is executed.
    var printsStart = false
    /// Whether the threads record until the process ends, while commands are executed.
    var recordsConcurrently = false
    var host = Host()
    /// The rules of each destination named with `--to`.
    var rules: [DestinationRule] = []
    /// The names of events that an interceptor drops.
    var interceptedEvents: Set<String> = []
    /// The file that lines are written to, in addition to standard output.
    ///
    /// It also lists files found at the descriptor numbers of closed standard streams. nil for standard output only.
    var report: String?
    /// A byte from which the key for encryption at rest is derived; nil for unencrypted files.
    var encryption: UInt8?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(_ name: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure(description: "\(name) needs a value") }
            return value
        }
        func number(_ name: String) throws -> Int {
            let text = try value(name)
            guard let number = Int(text) else { throw Failure(description: "\(name) \(text): not a number") }
            return number
        }
        while let name = rest.popFirst() {
            switch name {
            case "--data": data = try value(name)
            case "--to":
                destinations.append(try Self.pair(name, try value(name)))
            case "--more-than": queuePolicy.uploadWhenMoreThan = try number(name)
            case "--older-than": queuePolicy.uploadWhenOlderThan = .milliseconds(try number(name))
            case "--queue":
                let (id, url) = try Self.pair(name, try value(name))
                queues.append((id, url, queuePolicy))
            case "--clickstream", "--sensors", "--sap":
                formatDestinations.append((String(name.dropFirst(2)), try value(name)))
            case "--key": key = try value(name)
            case "--threads": threads = try number(name)
            case "--count": count = try number(name)
            case "--rate": rate = try number(name)
            case "--bytes":
                let least = try number(name)
                bytes = least...max(least, try number(name))
            case "--seed": seed = UInt64(try number(name))
            case "--flush-first": flushFirst = .seconds(try number(name))
            case "--finish": finish = .seconds(try number(name))
            case "--commands": readsCommands = true
            case "--run": run = try value(name)
            case "--interval": policy.flushInterval = .milliseconds(try number(name))
            case "--batch": policy.flushEvents = try number(name)
            case "--timeout": policy.requestTimeout = .milliseconds(try number(name))
            case "--retry":
                policy.retry = RetrySchedule(
                    base: .milliseconds(try number(name)),
                    cap: .milliseconds(try number(name))
                )
            case "--journal-bytes": journalBytes = try number(name)
            case "--journal-age": journalAge = .seconds(try number(name))
            case "--event-bytes": eventBytes = try number(name)
            case "--no-life-cycle": observesLifeCycle = false
            case "--capture": capture.formUnion(.standard)
            case "--crashes": capture.insert(.crashes)
            case "--session-timeout": sessionTimeout = .milliseconds(try number(name))
            case "--suspension-timeout": suspensionTimeout = .milliseconds(try number(name))
            case "--app-version": appVersion = try value(name)
            case "--consent": consent = try Self.consent(try value(name))
            case "--print-start": printsStart = true
            case "--alongside": recordsConcurrently = true
            case "--descriptors": host.descriptors = try number(name)
            case "--file-bytes": host.fileBytes = try number(name)
            case "--deny": rules.append(.deny(try value(name)))
            case "--redact": rules.append(.redact(try value(name)))
            case "--rename":
                let (from, to) = try Self.pair(name, try value(name))
                rules.append(.rename(from, to: to))
            case "--intercept": interceptedEvents.insert(try value(name))
            case "--encrypt": encryption = UInt8(truncatingIfNeeded: try number(name))
            case "--report": report = try value(name)
            case "--user": host.user = try number(name)
            default: throw Failure(description: "unknown argument \(name)")
            }
        }
        guard !data.isEmpty, !destinations.isEmpty else { throw Failure(description: "--data and --to are required") }
    }

    private static func pair(_ option: String, _ text: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Failure(description: "\(option) needs two values separated by =") }
        return (parts[0], parts[1])
    }

    /// Parses a consent value.
    static func consent(_ word: String) throws -> Consent {
        guard let consent = Consent(rawValue: word) else { throw Failure(description: "\(word) is not a consent") }
        return consent
    }

    /// Returns a collector destination with this id and address.
    static func destination(_ id: String, _ url: String, key: String) throws -> DestinationConfiguration {
        guard let url = URL(string: url), let id = DestinationID(id) else {
            throw Failure(description: "\(id)=\(url) is not a valid destination")
        }
        return .collector(url, writeKey: key, id: id)
    }

    /// Returns a destination in another format.
    private static func destination(_ format: String, _ url: String) throws -> DestinationConfiguration {
        guard let url = URL(string: url) else { throw Failure(description: "--\(format) \(url): not a valid URL") }
        switch format {
        case "clickstream": return .clickstream(appID: "recorder", endpoint: url, id: "clickstream")
        case "sap": return .sapMobileServices(url, applicationID: "recorder", id: "sap")
        default: return .sensorsAnalytics(serverURL: url, id: "sensors")
        }
    }

    /// Returns the configuration.
    ///
    /// - Parameter number: Distinguishes the folders of several instances; 0 for the folder itself.
    func configuration(_ number: Int = 0) throws -> Configuration {
        let rules = rules.isEmpty ? nil : DestinationRules(rules)
        var configuration = Configuration(
            appID: "recorder",
            destinations: try destinations.map {
                try Self.destination($0.id, $0.url, key: key).configured(rules: rules)
            }
                + formatDestinations.map { try Self.destination($0.format, $0.url) },
            consent: consent
        )
        configuration.storage.folder = URL(fileURLWithPath: number == 0 ? data : "\(data)-\(number)", isDirectory: true)
        configuration.delivery.policy = policy
        configuration.capture = capture
        configuration.appVersion = appVersion
        if let sessionTimeout { configuration.sessions.timeout = sessionTimeout }
        configuration.lifecycle.isObserved = observesLifeCycle
        if let suspensionTimeout {
            configuration.lifecycle.suspensionTimeout = suspensionTimeout
            configuration.lifecycle.terminationTimeout = suspensionTimeout
        }
        if let journalBytes { configuration.storage.maximumBytes = journalBytes }
        if let journalAge { configuration.storage.maximumAge = journalAge }
        if let eventBytes {
            configuration.limits.eventBytes = eventBytes
            configuration.limits.stringBytes = eventBytes
        }
        if let encryption { configuration.storage.encryption = .key(EncryptionKey((0..<32).map { encryption &+ $0 })) }
        if !interceptedEvents.isEmpty {
            let names = interceptedEvents
            configuration.interceptors = [Interceptor("names") { names.contains($0.name) ? .drop : .keep }]
        }
        configuration.onDiagnostic = { diagnostic in
            Output.line("diagnostic \(diagnostic.code) \(diagnostic.field) \(diagnostic.value)")
        }
        return configuration
    }
}
