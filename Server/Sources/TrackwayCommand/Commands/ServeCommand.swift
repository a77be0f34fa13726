// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import ArgumentParser
internal import CollectorCore
internal import CollectorHTTP
internal import Foundation
internal import Logging
internal import UnixSignals

/// Runs the collector.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the collector.",
        discussion: ServeOptions.discussion
    )

    @OptionGroup var options: ServeOptions
    @OptionGroup var cluster: ClusterNotice.Options

    /// Runs the collector until a signal stops it.
    func run() async throws { try await options.run() }
}

/// The options of `serve` for a collector on one machine.
public struct ServeOptions: ParsableArguments {
    /// The help text of `serve`.
    public static let discussion = """
        Accepts events at POST /v1/events, and in the formats of Clickstream
        (/collect), Sensors Analytics (/sa) and Sift
        (PUT /v3/accounts/ID/mobile_events). It acknowledges them when they are
        on stable storage, and shows them on a web page at /.
        One folder holds everything: the intake log (the source of truth), the
        index (rebuilt from the log when it is missing) and the hashed keys.
        Ctrl-C or SIGTERM shuts the collector down cleanly. kill -9 loses no
        acknowledged event.

        Sending requires a write key, and reading a read key. With --dev-key,
        --ephemeral or --open-read, programs and pages on this machine read
        without a key: requests that reach a loopback address directly. Use
        none of the three behind a proxy on the same machine: not every proxy
        identifies itself.

        EXAMPLES
          # Develop: the key "dev" may do everything.
          trackway serve --dev-key dev
          # Use keys from the key file.
          trackway keys create my-app
          trackway keys create support --scope read
          trackway serve
          # Use keys for sending, and read on this machine without one.
          trackway serve --open-read
          # Accept connections from other machines; put TLS in front.
          trackway serve --host 0.0.0.0 --port 80
          # Run behind a proxy on this machine.
          trackway serve --trusted-proxy 127.0.0.1
          # Let web pages from an origin send events.
          trackway serve --allow-origin https://shop.example
          # Append one line of JSON per request to a file.
          trackway serve --request-log /var/log/trackway/requests.jsonl
          # Remove events 90 days after they arrived, and use at most 50 GiB.
          trackway serve --keep 90d --keep-bytes 50G
          # Test: a free port, no keys on this machine, POST /v1/reset, and no data
          # left afterwards.
          trackway serve --ephemeral --json
        """

    /// Creates the options with their defaults.
    public init() {}

    @OptionGroup var data: DataOptions

    @Option(help: "Address to listen on.")
    var host: String = "127.0.0.1"

    @Option(help: "Port; 0 for a free one. Default: 8787; with --ephemeral a free one.")
    var port: Int?

    @Flag(
        help: """
            Keep no data: store it in memory (/dev/shm) where the system supports that, or else in a temporary folder, \
            and remove it at the end. On a loopback address, no key is needed. POST /v1/reset \
            discards everything.
            """
    )
    public var ephemeral = false

    @Flag(help: "Print one line of JSON with the address when ready, instead of text.")
    var json = false

    @Option(help: "File that contains the address while connections are accepted.")
    var addressFile: String?

    @Option(
        help: "Key with all permissions, in addition to the key file. Loopback only, without a proxy in front."
    )
    var devKey: String?

    @Flag(
        help: "Let programs and pages on this machine read without a key. Loopback only, without a proxy in front."
    )
    public var openRead = false

    @Option(
        help: """
            When reading requires a key: auto (always, unless --dev-key, --ephemeral, or --open-read lets this machine \
            read without one) or always.
            """
    )
    var readKey: ReadKeys = .auto

    /// The option that lets this machine read without a key; nil for none.
    var openReadOption: String? {
        guard readKey == .auto else { return nil }
        if ephemeral { return "--ephemeral" }
        if devKey != nil { return "--dev-key" }
        return openRead ? "--open-read" : nil
    }

    @Option(
        help: """
            Additional host name for a loopback address, such as a proxy's. Reading under it requires a key. May be \
            repeated.
            """
    )
    var allowHost: [String] = []

    @Option(help: "Origin of web pages that may send events. May be repeated.")
    var allowOrigin: [String] = []

    @Option(help: "Origin of web pages that may read, with a key if one is required. May be repeated.")
    var allowReadOrigin: [String] = []

    @Option(help: "Requests per second for each address, with bursts of ten times as many; 0 for no limit.")
    var addressRate: Int = 100

    @Option(
        help: """
            Address of a proxy whose X-Forwarded-For header is trusted, for --address-rate and --client-addresses. May \
            be repeated.
            """
    )
    var trustedProxy: [String] = []

    @Option(
        help: """
            Whether events are stored with the sender's address, as context.ip: drop, truncate (IPv4 to 24 \
            bits, IPv6 to 48 bits), or keep.
            """
    )
    var clientAddresses: ClientAddressPolicy = .drop

    @Option(
        help: "Requests per second for each key without --rate, with bursts of ten times as many. Default: no limit."
    )
    var keyRate: Int?

    @Option(help: "Events per day for each key without --events-per-day. Default: no limit.")
    var keyEventsPerDay: Int?

    @Option(
        help: "Remote configuration file served at /config/iOS.conf. Default: sensors-config.json in the folder."
    )
    var sensorsConfig: String?

    @Option(
        help: """
            Allowed URL prefix for alert webhooks, such as https://hooks.example.com/ or an address inside your \
            network. All other URLs are then rejected. Default: https to the public internet, and this machine if \
            the collector serves only this machine. May be repeated.
            """
    )
    var alertURLPrefix: [String] = []

    @Option(
        help:
            "Public address of the page, for links in alert messages. Default: the listening address."
    )
    var pageURL: String?

    @Option(
        help: """
            Tracking plan, read at startup. Violations are counted while events are indexed; nothing is dropped \
            because of them.
            """
    )
    var plan: String?

    @OptionGroup var limits: StorageLimitOptions
    @OptionGroup var calendar: CalendarOptions

    @Option(
        help: """
            File to which a line of JSON is appended for each request; - for standard output. The lines have no ids, \
            and addresses only as --client-addresses allows.
            """
    )
    var requestLog: String?

    @Option(help: "Log level on standard error: trace, debug, info, notice, warning, error.")
    var logLevel: String = "warning"

    /// Checks the combination of options.
    public func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port takes 0 to 65535") }
        if ephemeral, data.data != nil {
            throw ValidationError("choose --ephemeral, which keeps no data, or --data")
        }
        if ephemeral, limits.isLimited {
            throw ValidationError("choose --ephemeral, which keeps no data, or --keep and --keep-bytes")
        }
        if ephemeral, readKey == .always {
            throw ValidationError("with --ephemeral, no key is needed on this machine; omit --read-key")
        }
        if ephemeral, !CollectorConfiguration.isLoopback(host) {
            throw ValidationError("--ephemeral requires a loopback address: all clients may send, read, and reset")
        }
        if openRead, readKey == .always {
            throw ValidationError(
                "choose --open-read, which lets this machine read without a key, or --read-key always"
            )
        }
        if openRead, !CollectorConfiguration.isLoopback(host) {
            throw ValidationError(
                """
                --open-read is for the loopback address only; create a key with \
                `trackway keys create NAME --scope read` for \(host)
                """
            )
        }
        if let devKey, devKey.isEmpty { throw ValidationError("--dev-key must not be empty; pass a value such as dev") }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level takes trace, debug, info, notice, warning, or error")
        }
        for origin in allowOrigin + allowReadOrigin where !Self.isOrigin(origin) {
            throw ValidationError("“\(origin)” is not an origin; write it as browsers do: https://shop.example")
        }
        for address in trustedProxy where IPAddress(address) == nil {
            throw ValidationError("“\(address)” is not an address; --trusted-proxy takes one such as 127.0.0.1 or ::1")
        }
        guard (0...RateLimit.counts.upperBound).contains(addressRate) else {
            throw ValidationError("--address-rate takes 0 to \(RateLimit.counts.upperBound)")
        }
        for (option, number) in [("--key-rate", keyRate), ("--key-events-per-day", keyEventsPerDay)] {
            guard let number, !RateLimit.counts.contains(number) else { continue }
            throw ValidationError("\(option) takes 1 to \(RateLimit.counts.upperBound)")
        }
        for name in allowHost where HostName(authority: name) == nil || name.contains(":") {
            throw ValidationError("“\(name)” is not a host name; --allow-host takes one without a port")
        }
        for prefix in alertURLPrefix where !WebhookPolicy.isPrefix(prefix) {
            throw ValidationError(
                "“\(prefix)” is not a URL; --alert-url-prefix takes one such as https://hooks.example.com/"
            )
        }
        if let pageURL, !WebhookPolicy.isPrefix(pageURL) || pageURL.contains("?") {
            throw ValidationError(
                "“\(pageURL)” is not a URL; --page-url takes one such as https://collector.example.com"
            )
        }
        if let requestLog, requestLog.isEmpty {
            throw ValidationError("--request-log takes a file, or - for standard output")
        }
        if devKey != nil, !CollectorConfiguration.isLoopback(host) {
            throw ValidationError(
                "--dev-key is for the loopback address only; create a key with `trackway keys create` for \(host)"
            )
        }
    }

    /// Whether a string is an origin in the form that browsers use.
    ///
    /// An origin is a scheme and a host, with a port if it is not the default.
    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = text.firstRange(of: "://"), !text[..<scheme.lowerBound].isEmpty else { return false }
        let authority = text[scheme.upperBound...]
        return text == text.lowercased() && HostName(authority: authority) != nil
    }

    /// Runs a collector until a signal stops it.
    ///
    /// - Parameter storage: Opens the collector's storage.
    public func run(storage: any CollectorStorageProvider = LocalStorageProvider()) async throws {
        if limits.isLimited, !(storage is LocalStorageProvider) {
            throw CommandFailure(
                .usage,
                "--keep and --keep-bytes are for a collector that stores its own events",
                remedy: "limit a cluster's tables with `trackway-cluster cluster forward --table-retention`"
            )
        }
        var configuration = CollectorConfiguration(host: host, port: port ?? (ephemeral ? 0 : 8787))
        configuration.isEphemeral = ephemeral
        configuration.readKeys = openReadOption == nil ? .always : .auto
        configuration.hostNames = Set(allowHost)
        configuration.sendingOrigins = Set(allowOrigin)
        configuration.readingOrigins = Set(allowReadOrigin)
        configuration.addressRate = addressRate == 0 ? nil : .requests(perSecond: addressRate)
        configuration.trustedProxies = Set(trustedProxy.compactMap { IPAddress($0) })
        configuration.clientAddresses = clientAddresses
        let descriptors = DescriptorLimit.raise(to: configuration.connections + DescriptorLimit.reserve)
        configuration.connections = DescriptorLimit.connections(within: descriptors, wanted: configuration.connections)
        configuration.keyLimits = KeyLimits(requestsPerSecond: keyRate, eventsPerDay: keyEventsPerDay)
        configuration.webhookPrefixes = alertURLPrefix
        configuration.calendar = calendar.calendar
        var logger = Logger(label: "trackway", factory: TerminalLogHandler.init(label:))
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .warning
        let checker = try plan.map { PlanChecker(try PlanFile.plan($0)) }
        let temporary = try ephemeral ? EphemeralFolder.make(environment: ProcessInfo.processInfo.environment) : nil
        defer { temporary?.remove() }
        let folder = temporary.map { CollectorFolder(option: $0.path, environment: [:]) } ?? data.folder
        try folder.make()
        if devKey == nil, !ephemeral, try data.keyFile().records.isEmpty {
            Console.standard.note(
                """
                No keys yet, so nothing can be sent\(openRead ? "" : " or read"). Create one with \
                `trackway keys create NAME`, or start with --dev-key dev.
                """
            )
        }
        let host = CollectorHost(
            folder: folder,
            configuration: configuration,
            storage: storage,
            intake: ephemeral ? EphemeralFolder.intake : IntakeOptions(),
            developmentKey: devKey,
            sensorsConfiguration: sensorsConfig.map { URL(fileURLWithPath: $0).path },
            page: pageURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
            plan: checker,
            limits: try limits.policy(),
            requestLog: try requestLog.map { path throws in
                try RequestLogFile(path: path) { [logger] in logger.warning("\($0)") }
            },
            logger: logger
        )
        let banner = ServeBanner(
            folder: folder,
            host: self.host,
            developmentKey: devKey,
            isEphemeral: ephemeral,
            openReadOption: openReadOption,
            storage: storage.summary
        )
        let file = addressFile.map { AddressFile(path: $0) }
        try file?.prepare()
        defer { file?.remove() }
        // Closing the terminal must not leave a folder behind.
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

extension ClientAddressPolicy: ExpressibleByArgument {}

/// The limit on the process's open files and connections.
enum DescriptorLimit {
    /// The number of descriptors reserved for purposes other than connections.
    ///
    /// These descriptors are for the log, the index and its readers, and files that libraries open.
    static let reserve = 256

    /// Raises the limit to the required number, as far as the system allows.
    ///
    /// Many systems set an initial limit of 1,024, for programs that cannot handle more descriptors, but allow far
    /// higher limits.
    ///
    /// - Returns: The resulting limit.
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

    /// Returns the identifier of a limit as a number.
    ///
    /// Some systems identify limits by numbers, others by an enumeration.
    private static func number(_ limit: Int32) -> Int32 { limit }

    private static func number<Limit: RawRepresentable<UInt32>>(_ limit: Limit) -> Int32 {
        Int32(bitPattern: limit.rawValue)
    }

    /// Returns the number of connections that fit within a descriptor limit.
    static func connections(within descriptors: Int, wanted: Int) -> Int {
        min(wanted, max(descriptors - reserve, descriptors / 2, 1))
    }
}
