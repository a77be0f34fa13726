// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayBehavior
public import TrackwayDelivery
public import TrackwayEvents
public import TrackwayJournal
public import TrackwayWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The settings of an ``Analytics``, read once when it is made.
///
/// ```swift
/// var configuration = Configuration(
///     appID: "shopping",
///     destinations: [.collector(URL(string: "https://events.example.com")!, writeKey: "…")]
/// )
/// configuration.privacy.consent = .pending
/// let analytics = try Analytics(configuration)
/// ```
/// The settings that may change later are in ``Analytics/options``.
public struct Configuration: Sendable {
    // MARK: Required

    /// The app's id: 1 to 256 bytes, for example the bundle identifier.
    ///
    /// It names the storage folder and is part of every event's context.
    public var appID: String

    /// The destinations of events: at least one, each with a different id.
    public var destinations: [DestinationConfiguration]

    // MARK: The app

    /// The app's version in events.
    ///
    /// nil (the default) takes the version of the main bundle. A command-line program has none.
    public var appVersion: String?

    /// The app's build number in events.
    ///
    /// nil (the default) takes the build number of the main bundle. A command-line program has none.
    public var appBuild: String?

    // MARK: Groups of settings

    /// Where events wait, and how many.
    public var storage = Storage()

    /// When and how events are sent, to every destination.
    public var delivery = Delivery()

    /// Consent, and what happens to events when it is denied.
    public var privacy = Privacy()

    /// When a session ends.
    public var sessions = Sessions()

    /// What the SDK does when the process is stopped or ends.
    public var lifecycle = Lifecycle()

    // MARK: Recording

    /// What is recorded without a call of the app.
    ///
    /// The default records starts and exits, sessions, screens, engagement and updates, because most reports begin with them. `[]`
    /// records only what the app records.
    public var capture = CaptureOptions.standard

    /// The largest size of an event and its parts. The defaults suit the collector.
    public var limits = EventLimits()

    /// Functions that see, change or drop each event that the app records.
    ///
    /// They run in this order, on the threads that record. Empty by default; then they cost nothing.
    public var interceptors: [Interceptor] = []

    /// Which snapshots of the device and the app's state are taken.
    ///
    /// They contain battery, orientation, networks, location and motion. nil (the default) takes none, because not every app needs to know
    /// that much about a device.
    public var snapshots: SnapshotOptions?

    /// Whether the SDK is enabled until ``Analytics/isEnabled`` is set on this installation. True by default.
    public var isEnabled = true

    // MARK: Diagnostics

    /// Whether each event is also written to standard error when it is recorded.
    ///
    /// False by default: it costs a system call per event and shows users' data.
    public var logEvents = false

    /// A prefix of each logged event, which makes events easy to find among other lines. Empty by default.
    public var eventLogLabel = ""

    /// Receives every diagnostic: mistakes in calls, and problems with storage or delivery.
    ///
    /// It is called on the thread that found the problem, with no lock held, and must return quickly. It may call the SDK: a diagnostic
    /// that is caused inside of it is not reported to it but counted (``Analytics/unreportedDiagnostics``). nil (the default)
    /// writes to standard error, a few lines per kind and minute, so that no mistake goes unseen.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    // MARK: Compatibility modules

    /// Sets the rules of a destination that a compatibility module makes.
    ///
    /// ```swift
    /// configuration.setRules([.deny("debug_*")], for: "clickstream")
    /// ```
    /// For a destination of ``destinations`` they replace ``DestinationConfiguration/rules``. An id that no destination has is an error
    /// of the start, ``TrackwayError/Code/unknownDestination``.
    public mutating func setRules(_ rules: DestinationRules, for id: DestinationID) {
        rulesByID[id] = rules
    }

    /// Rules of destinations that may be made later, by ``setRules(_:for:)``.
    package var rulesByID: [DestinationID: DestinationRules] = [:]

    /// How events recorded from the beginning are to be treated; see ``TrackwayEvents/RecordedContext/modes``. Empty by
    /// default; for compatibility modules.
    package var modes: Attributes = [:]

    /// How events are shown in the log; nil for as they are stored. For compatibility modules.
    package var eventLogForm: EventLogForm?

    /// The SDK that the app had before, whose state a new installation takes over; nil for none. For compatibility modules.
    package var predecessor: Predecessor?

    /// Makes the dependencies of a test; nil for the system's. See `TrackwayTesting.InMemoryEnvironment`.
    package var dependencySource: (any DependencySource)?

    /// Makes a configuration with the default of every other setting.
    public init(appID: String, destinations: [DestinationConfiguration]) {
        self.appID = appID
        self.destinations = destinations
    }
}

extension Configuration {
    /// Where events wait, and how many.
    public struct Storage: Sendable {
        /// The folder in which events wait; created when it does not exist.
        ///
        /// nil (the default) uses the system's folder for an app's state that is not the user's own data, with one folder per
        /// ``Configuration/appID``.
        ///
        /// Several processes of one app may share a folder; they then are one installation. Systems that suspend apps (iOS, iPadOS,
        /// tvOS, watchOS, visionOS) end an app that is suspended while it holds a lock in a folder that it shares with its extensions.
        /// In the folder of an app group each process therefore has a folder of its own, without such locks: together they are one
        /// installation, each delivers what it recorded, and each asks for consent by itself.
        public var folder: URL?

        /// The key that encrypts everything in the folder: events, contexts, identity, decisions.
        ///
        /// nil (the default) does not encrypt, because only the app can keep a key, and what is encrypted is lost with it.
        ///
        /// ```swift
        /// configuration.storage.encryption = .key(EncryptionKey(bytes))
        /// ```
        /// Unencrypted data that is already in the folder is still read and delivered. A folder that was encrypted with another key, or with
        /// any key when none is given, is refused with ``TrackwayError/Code/encryptionKeyMissing`` and left unchanged. All processes
        /// of an installation need the same keys.
        public var encryption: Encryption?

        /// The maximum size of all pending events, in bytes. When it is reached, the oldest events are dropped and counted.
        ///
        /// 50 MB by default: about 120,000 events of ten attributes, which is weeks of offline time for most apps.
        public var maximumBytes = 50_000_000

        /// The maximum size of events for ``LocalDestination``s, in bytes, in addition to ``maximumBytes``.
        ///
        /// 50 MB by default. These events have no age limit, because only the app can take them. When the limit is reached, the oldest
        /// are dropped and counted in the ledger as `journal_full`.
        public var maximumLocalDestinationBytes = 50_000_000

        /// The maximum age of a pending event. Older events are dropped and counted.
        ///
        /// 30 days by default, because hardly any report looks further back.
        public var maximumAge = Duration.seconds(30 * 86400)

        /// Makes settings with their defaults.
        public init() {}
    }

    /// When and how events are sent, to every destination.
    public struct Delivery: Sendable {
        /// When and how often events are sent, unless a ``DestinationConfiguration`` has a policy of its own.
        public var policy = DeliveryPolicy()

        /// How low power, heat and the network change delivery.
        ///
        /// By default, uploads that the app did not ask for are at least five minutes apart while the device saves power or is hot, and wait
        /// while it is very hot or has no network. Without effect on Linux, which does not report these states. The part about networks
        /// does not apply to a ``transport`` of the app's own.
        public var conditions = DeliveryConditions()

        /// The transport that sends requests.
        ///
        /// nil (the default) uses URLSession on Apple's systems and libcurl on Linux; both use the system's proxies and certificates.
        public var transport: (any Transport)?

        /// Whether events are also sent in low-data mode.
        ///
        /// False by default: a network in this mode counts as no network, also for a flush, and pending events wait for another one.
        /// Only Apple's systems have such a mode. A ``transport`` of the app's own decides for itself.
        public var allowsConstrainedNetworks = false

        /// Makes settings with their defaults.
        public init() {}
    }

    /// Consent, and what happens to events when it is denied.
    public struct Privacy: Sendable {
        /// The consent of everybody who has not decided yet.
        ///
        /// It applies until a decision is made for the device with ``Analytics/setConsent(_:category:scope:)``. Decisions survive
        /// restarts. `.granted` by default; an app that must ask sets `.pending`.
        public var consent = Consent.granted

        /// What happens to pending events when consent is denied.
        ///
        /// `.purge` by default, because people who say no expect it.
        public var denialPolicy = ConsentDenialPolicy.purge

        /// Whose events those are that were recorded before a sign-in.
        ///
        /// The user's by default: the person who signs in is nearly always the one who used the app a minute ago.
        public var anonymousEventPolicy = AnonymousEventPolicy.mergeIntoUser

        /// Makes settings with their defaults.
        public init() {}
    }

    /// When a session ends.
    public struct Sessions: Sendable, Hashable {
        /// The time in the background after which the next use of the app begins a new session.
        ///
        /// 30 minutes by default, as in most reports.
        public var timeout = Duration.seconds(1800)

        /// The time without user activity in the foreground after which the next activity begins a new session, at least a second.
        ///
        /// nil (the default) ends no session in the foreground, because phones close or leave unused apps. 30 minutes is usual on a
        /// desktop, where an app may stay in the foreground for weeks.
        ///
        /// Activity is an event that the app records, a screen, a touch, a sign-in, or the return from another window. Heartbeats, snapshots and
        /// other events that the SDK records by itself are not. `_user_engagement` of the screen, which ends at the last activity,
        /// `_session_start` and the screen's view are recorded before the event that begins the session. Times are measured to the
        /// second, by the process that captures.
        public var idleTimeout: Duration?

        /// The age of a session after which the next user activity or return to the foreground begins a new one, at least a second.
        ///
        /// nil (the default) sets no limit, because most reports count one long use as one session.
        public var maximumLength: Duration?

        /// Makes settings with their defaults.
        public init() {}
    }

    /// What the SDK does when the process is stopped or ends.
    public struct Lifecycle: Sendable {
        /// Whether the SDK observes the process's signals (Ctrl-Z, termination, exit), or UIKit's notifications where there is UIKit.
        ///
        /// It then sends pending events in the short time before, and lets another process deliver while this one is stopped. True by
        /// default: the app's own handlers keep working. Without it nothing is lost; events only arrive later.
        public var isObserved = true

        /// How long a process that is being stopped (Ctrl-Z) may be delayed to send pending events.
        ///
        /// 250 ms by default: the person who presses the keys expects the prompt at once. Events that are not sent by then are sent
        /// when the process continues, or by another process. 0 sends nothing.
        public var suspensionTimeout = Duration.milliseconds(250)

        /// How long a process that ends, by a signal or by itself, may be delayed to send pending events.
        ///
        /// 1 s by default. A short command that wants its events sent may choose more.
        public var terminationTimeout = Duration.seconds(1)

        /// Makes settings with their defaults.
        public init() {}
    }
}

/// What happens to pending events when consent is denied.
public enum ConsentDenialPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are dropped and counted.
    case purge
    /// They wait, in case the person changes the decision, as long as no other person's events wait behind them.
    case keep
}

/// Whose events those are that were recorded before a sign-in.
public enum AnonymousEventPolicy: String, Sendable, Hashable, CaseIterable {
    /// The user's who signs in next; the user's decision about consent applies to them, too.
    case mergeIntoUser
    /// An anonymous person's; the device's decision about consent applies to them. The collector does not count them for the user.
    case keepSeparate
}
