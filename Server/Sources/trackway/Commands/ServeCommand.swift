// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorColumns
internal import CollectorHTTP
internal import Foundation
internal import Logging
internal import UnixSignals

/// Runs the collector.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the collector.",
        discussion: """
            Takes events at POST /v1/events, and in the formats of Clickstream (/collect), Sensors Analytics (/sa) and Sift
            (PUT /v3/accounts/ID/mobile_events), and answers success when they lie on stable storage. Shows them on a page
            at /.
            Everything is in one folder: the intake log (the source of truth), the index (made anew from it when missing),
            and the hashed keys. With --engine the records are in a stream of NATS in place of the log, and a batch is
            answered when a majority of its servers, each proven to sync always, has it on disk. Ctrl-C or SIGTERM end it in good order; kill -9 loses nothing that was answered.

            Sending needs a write key. Reading needs a read key, but for whoever asks a loopback address directly from this
            machine. Behind a proxy on the same machine use --read-key always: not every proxy says that it is one.

            EXAMPLES
              trackway serve --dev-key dev                 for developing: the key “dev” may do everything
              trackway keys create my-app; trackway serve  keys from the key file
              trackway serve --host 0.0.0.0 --port 80      reachable by others: put TLS before it
              trackway serve --read-key always --trusted-proxy 127.0.0.1   behind a proxy on this machine
              trackway serve --allow-origin https://shop.example   web pages of that origin may send
              trackway serve --engine nats://a,nats://b,nats://c --engine-credentials engine.json
                                                           records in a stream that three machines keep, the index here
              trackway serve --engine nats://a,nats://b,nats://c --analysis http://clickhouse:8123/trackway
                                                           trends and funnels from ClickHouse, everything else from the index
              trackway serve --engine nats://a,nats://b,nats://c --analysis http://clickhouse:8123/trackway --no-index
                                                           everything from ClickHouse, and no index here
              trackway serve --ephemeral --json            for tests: a free port, no keys on this machine, POST /v1/reset,
                                                           and nothing is left at the end
            """
    )

    @OptionGroup var data: DataOptions
    @OptionGroup var records: EngineOptions
    @OptionGroup var questions: AnalysisOptions

    @Flag(
        help:
            "Make no index here: everything is answered from the database of --analysis, about a second after it arrived. Takes --engine and --analysis."
    )
    var noIndex = false

    @Option(help: "The address to listen on.")
    var host: String = "127.0.0.1"

    @Option(help: "The port; 0 takes a free one. Default: 8787; with --ephemeral a free one.")
    var port: Int?

    @Flag(
        help:
            "Keep nothing: the data lies in memory where the system has a file system there (/dev/shm), else in a temporary folder, and is removed at the end. On a loopback address no key is needed. POST /v1/reset forgets everything."
    )
    var ephemeral = false

    @Flag(help: "When ready, print one line of JSON with the address, instead of the lines for people.")
    var json = false

    @Option(help: "A file that holds the address, once connections are accepted, until the end.")
    var addressFile: String?

    @Option(
        help: "A key that may do everything, beside those of the key file. Loopback only, and with no proxy before it."
    )
    var devKey: String?

    @Option(help: "Who needs a key for reading: auto (whoever may be beyond this machine) or always (everybody).")
    var readKey: ReadKeys = .auto

    @Option(
        help:
            "A further name under which a loopback address answers, such as a proxy's. Reading under it needs a key. May be given several times."
    )
    var allowHost: [String] = []

    @Option(help: "The origin of web pages that may send events. May be given several times.")
    var allowOrigin: [String] = []

    @Option(help: "The origin of web pages that may read, with a key where one is needed. May be given several times.")
    var allowReadOrigin: [String] = []

    @Option(help: "Requests a second that each address may make, ten times as many at once; 0 for any number.")
    var addressRate: Int = 100

    @Option(
        help:
            "The address of a proxy whose X-Forwarded-For tells for whom it asks, for --address-rate. May be given several times."
    )
    var trustedProxy: [String] = []

    @Option(
        help: "Requests a second for each key that has no --rate of its own, ten times as many at once. Default: any."
    )
    var keyRate: Int?

    @Option(help: "Events a day for each key that has no --events-per-day of its own. Default: any number.")
    var keyEventsPerDay: Int?

    @Option(
        help: "The remote configuration handed out at /config/iOS.conf. Default: sensors-config.json in the folder."
    )
    var sensorsConfig: String?

    @Option(
        help:
            "What addresses that alerts are told to have to begin with, such as https://hooks.example.com/ or an address inside your network. Then no others are allowed. Default: https to the public internet, and this machine when the collector is for this machine only. May be given several times."
    )
    var alertURLPrefix: [String] = []

    @Option(
        help:
            "Under which address people reach the page, for links in what alerts tell. Default: the one it listens on."
    )
    var pageURL: String?

    @Option(
        help:
            "A tracking plan: what does not keep to it is counted while events are indexed, and nothing is dropped. Read at the start."
    )
    var plan: String?

    @Option(help: "What the server says on standard error: trace, debug, info, notice, warning, error.")
    var logLevel: String = "warning"

    /// Sees that the options make sense together.
    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port takes 0 to 65535") }
        if ephemeral, data.data != nil {
            throw ValidationError("choose --ephemeral, which keeps nothing, or --data")
        }
        if ephemeral, records.engine != nil {
            throw ValidationError("choose --ephemeral, which keeps nothing, or --engine")
        }
        if questions.analysis != nil, records.engine == nil {
            throw ValidationError(
                "--analysis is for a collector with --engine, from whose stream `trackway forward` fills the database"
            )
        }
        if noIndex, questions.analysis == nil {
            throw ValidationError(
                "--no-index is for a collector with --engine and --analysis http://host:8123/trackway, which then answers everything"
            )
        }
        if ephemeral, readKey == .always {
            throw ValidationError("with --ephemeral nobody on this machine needs a key; leave out --read-key")
        }
        if ephemeral, !CollectorConfiguration.isLoopback(host) {
            throw ValidationError("--ephemeral is for a loopback address: whoever reaches it may send, read and reset")
        }
        if let devKey, devKey.isEmpty { throw ValidationError("--dev-key needs a text, such as dev") }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level takes trace, debug, info, notice, warning or error")
        }
        for origin in allowOrigin + allowReadOrigin where !Self.isOrigin(origin) {
            throw ValidationError("“\(origin)” is no origin; write it as a browser does: https://shop.example")
        }
        for address in trustedProxy where IPAddress(address) == nil {
            throw ValidationError("“\(address)” is no address; --trusted-proxy takes one such as 127.0.0.1 or ::1")
        }
        guard (0...RateLimit.counts.upperBound).contains(addressRate) else {
            throw ValidationError("--address-rate takes 0 to \(RateLimit.counts.upperBound)")
        }
        for (option, number) in [("--key-rate", keyRate), ("--key-events-per-day", keyEventsPerDay)] {
            guard let number, !RateLimit.counts.contains(number) else { continue }
            throw ValidationError("\(option) takes 1 to \(RateLimit.counts.upperBound)")
        }
        for name in allowHost where HostName(authority: name) == nil || name.contains(":") {
            throw ValidationError("“\(name)” is no host's name; --allow-host takes one without a port")
        }
        for prefix in alertURLPrefix where !WebhookPolicy.isPrefix(prefix) {
            throw ValidationError(
                "“\(prefix)” is no address; --alert-url-prefix takes one such as https://hooks.example.com/"
            )
        }
        if let pageURL, !WebhookPolicy.isPrefix(pageURL) || pageURL.contains("?") {
            throw ValidationError(
                "“\(pageURL)” is no address; --page-url takes one such as https://collector.example.com"
            )
        }
        if devKey != nil, !CollectorConfiguration.isLoopback(host) {
            throw ValidationError(
                "--dev-key is for the loopback address only; make a key with `trackway keys create` for \(host)"
            )
        }
    }

    /// Whether a text is a page's origin as browsers tell it: a scheme and a host, with a port where it is not the usual one.
    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = text.firstRange(of: "://"), !text[..<scheme.lowerBound].isEmpty else { return false }
        let authority = text[scheme.upperBound...]
        return text == text.lowercased() && HostName(authority: authority) != nil
    }

    /// Runs until a signal ends it.
    func run() async throws {
        var configuration = CollectorConfiguration(host: host, port: port ?? (ephemeral ? 0 : 8787))
        configuration.isEphemeral = ephemeral
        configuration.readKeys = readKey
        configuration.hostNames = Set(allowHost)
        configuration.sendingOrigins = Set(allowOrigin)
        configuration.readingOrigins = Set(allowReadOrigin)
        configuration.addressRate = addressRate == 0 ? nil : .requests(perSecond: addressRate)
        configuration.trustedProxies = Set(trustedProxy.compactMap { IPAddress($0) })
        let descriptors = DescriptorLimit.raise(to: configuration.connections + DescriptorLimit.reserve)
        configuration.connections = DescriptorLimit.connections(within: descriptors, wanted: configuration.connections)
        configuration.keyLimits = KeyLimits(requestsPerSecond: keyRate, eventsPerDay: keyEventsPerDay)
        configuration.webhookPrefixes = alertURLPrefix
        var logger = Logger(label: "trackway")
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .warning
        let engine = try records.settings()
        let analysis = try questions.client()
        let checker = try plan.map { PlanChecker(try PlanFile.plan($0)) }
        let temporary = try ephemeral ? EphemeralFolder.make(environment: ProcessInfo.processInfo.environment) : nil
        defer { temporary?.remove() }
        let folder = temporary.map { CollectorFolder(option: $0.path, environment: [:]) } ?? data.folder
        try folder.make()
        if devKey == nil, !ephemeral, try data.keyFile().records.isEmpty {
            Console.standard.note(
                "No keys yet, so nobody can send. Make one with `trackway keys create NAME`, or start with --dev-key dev."
            )
        }
        let host = CollectorHost(
            folder: folder,
            configuration: configuration,
            engine: engine,
            analysis: analysis,
            hasIndex: !noIndex,
            intake: ephemeral ? EphemeralFolder.intake : IntakeOptions(),
            developmentKey: devKey,
            sensorsConfiguration: sensorsConfig.map { URL(fileURLWithPath: $0).path },
            page: pageURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
            plan: checker,
            logger: logger
        )
        let banner = ServeBanner(
            folder: folder,
            host: self.host,
            developmentKey: devKey,
            isEphemeral: ephemeral,
            engine: engine?.text,
            analysis: analysis.map { "\($0.address)" },
            hasIndex: !noIndex
        )
        let file = addressFile.map { AddressFile(path: $0) }
        try file?.prepare()
        defer { file?.remove() }
        // A terminal that is closed must not leave a folder behind.
        let signals: [UnixSignal] = [.sigterm, .sigint] + (ephemeral ? [.sighup] : [])
        try await host.run(endingOn: signals) { [json] port in
            file?.write(banner.url(port: port))
            if json {
                Console.standard.write(json: banner.json(port: port, process: getpid()))
            } else {
                Console.standard.write(banner.lines(port: port, style: Console.standard.style))
            }
        }
    }
}

extension ReadKeys: ExpressibleByArgument {}

/// How many files and connections the process may have open.
enum DescriptorLimit {
    /// What the collector needs beside connections: its log, the index and its readers, and room for what libraries open.
    static let reserve = 256

    /// Lets the process have as many open as it wants, as far as the system allows.
    ///
    /// Many systems begin with a limit of 1,024, for programs that can count no further, and allow many more.
    ///
    /// - Returns: How many it may have open now.
    static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(number(RLIMIT_NOFILE), &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(number(RLIMIT_NOFILE), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// What limits a system calls by numbers, and what others by values of an enumeration.
    private static func number(_ limit: Int32) -> Int32 { limit }

    private static func number<Limit: RawRepresentable<UInt32>>(_ limit: Limit) -> Int32 {
        Int32(bitPattern: limit.rawValue)
    }

    /// How many connections fit beside everything else.
    static func connections(within descriptors: Int, wanted: Int) -> Int {
        min(wanted, max(descriptors - reserve, descriptors / 2, 1))
    }
}
