// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDelivery
public import TrackwayDestinationKit
public import TrackwayJournal
public import TrackwayLifecycle

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The settings of an ``Analytics``, read once when it is created.
///
/// ```swift
/// var configuration = Configuration(
///     appID: "shopping",
///     destinations: [.collector(URL(string: "https://events.example.com")!, writeKey: "…")],
///     consent: .granted
/// )
/// configuration.sessions.timeout = .seconds(600)
/// let analytics = try Analytics(configuration)
/// ```
/// Settings that can change later are in ``Analytics/options``.
public struct Configuration: Sendable {
    // MARK: Required

    /// The app's id, such as the bundle identifier.
    ///
    /// It has 1 to 256 bytes, names the storage folder, and is part of every event's context.
    public var appID: String

    /// The destinations of events.
    ///
    /// There must be at least one, and their ids must differ.
    public var destinations: [DestinationConfiguration]

    // MARK: The app

    /// The app's version, as recorded in events.
    ///
    /// nil (the default) uses the version of the main bundle, which a command-line program does not have.
    public var appVersion: String?

    /// The app's build number, as recorded in events.
    ///
    /// nil (the default) uses the build number of the main bundle, which a command-line program does not have.
    public var appBuild: String?

    // MARK: Groups of settings

    /// Settings for the storage of pending events.
    public var storage = Storage()

    /// Settings for sending events, for all destinations.
    public var delivery = Delivery()

    /// Consent, and the handling of events when it is denied.
    public var privacy = Privacy()

    /// The conditions under which a session ends.
    public var sessions = Sessions()

    /// Settings for suspension and termination of the process.
    public var lifecycle = Lifecycle()

    // MARK: Recording

    /// The events that the SDK records automatically.
    ///
    /// By default, these are starts and exits, sessions, screens, engagement and updates, because most reports are
    /// based on them. `[]` records nothing automatically.
    public var capture = CaptureOptions.standard

    /// The maximum sizes of an event and its parts.
    ///
    /// The defaults suit the collector.
    public var limits = EventLimits()

    /// Closures that can inspect, change or drop events that the app records.
    ///
    /// Interceptors run in this order, on the recording threads. Empty by default, which adds no cost.
    public var interceptors: [Interceptor] = []

    /// The snapshots to take of the device and the app's state.
    ///
    /// Snapshots describe the battery, orientation, networks, location and motion. nil (the default) takes none,
    /// because not every app needs to know that much about a device.
    public var snapshots: SnapshotOptions?

    /// Whether the SDK is initially enabled.
    ///
    /// This value applies until ``Analytics/isEnabled`` is set on this installation. True by default.
    public var isEnabled = true

    // MARK: Diagnostics

    /// Whether each event is also written to standard error.
    ///
    /// False by default, because logging costs a system call per event and exposes users' data.
    public var logEvents = false

    /// The prefix of each logged event.
    ///
    /// The prefix makes events easy to find among other lines. Empty by default.
    public var eventLogLabel = ""

    /// The handler that receives every diagnostic.
    ///
    /// Diagnostics describe mistakes in calls, and problems with storage or delivery. The handler is called on the
    /// thread that found the problem, with no lock held, and must return quickly. It may call the SDK; a diagnostic
    /// that is caused inside the handler is counted (``Analytics/unreportedDiagnostics``) instead of being reported to
    /// the handler. nil (the default) writes to standard error, a few lines per kind and minute, so that mistakes do
    /// not go unnoticed.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    // MARK: Compatibility modules

    /// Sets the rules of a destination that a compatibility module creates.
    ///
    /// ```swift
    /// configuration.setRules([.deny("debug_*")], for: "clickstream")
    /// ```
    /// For a destination in ``destinations``, these rules replace ``DestinationConfiguration/rules``. If no destination
    /// has the id, the start fails with ``TrackwayError/Code/unknownDestination``.
    public mutating func setRules(_ rules: DestinationRules, for id: DestinationID) {
        rulesByID[id] = rules
    }

    /// The rules set with ``setRules(_:for:)``, for destinations that may be created later.
    package var rulesByID: [DestinationID: DestinationRules] = [:]

    /// The initial modes, which determine how destinations treat events.
    ///
    /// See ``TrackwayCore/RecordedContext/modes``. Empty by default. For compatibility modules.
    package var modes: Attributes = [:]

    /// The form of events in the log.
    ///
    /// nil logs events as they are stored. For compatibility modules.
    package var eventLogForm: EventLogForm?

    /// The app's former SDK, whose state a new installation migrates.
    ///
    /// nil if there is none. For compatibility modules.
    package var legacySDK: (any MigrationSource)?

    /// Whether each consent decision is recorded as an event.
    ///
    /// True by default. False for compatibility modules, whose formats have no such event.
    package var recordsConsent = true

    /// The source of a test's dependencies; nil uses the system's.
    ///
    /// See `TrackwayTesting.InMemoryEnvironment`.
    package var dependencySource: (any DependencySource)?

    /// Creates a configuration with defaults for all other settings.
    ///
    /// - Parameters:
    ///   - appID: The app's id; see ``appID``.
    ///   - destinations: The destinations of events; see ``destinations``.
    ///   - consent: The consent that applies until a decision is made; see ``Privacy/consent``. nil chooses none:
    ///     events are kept on the device, and nothing is sent.
    public init(appID: String, destinations: [DestinationConfiguration], consent: Consent? = nil) {
        self.appID = appID
        self.destinations = destinations
        privacy.chosenConsent = consent
    }
}

extension Configuration {
    /// Settings for the storage of pending events.
    public struct Storage: Sendable {
        /// The folder for pending events.
        ///
        /// The folder is created if it does not exist. nil (the default) uses the system's folder for app state that is
        /// not user data, with one folder per ``Configuration/appID``.
        ///
        /// Several processes of an app may share a folder; together they are then one installation. Systems that
        /// suspend apps (iOS, iPadOS, tvOS, watchOS, visionOS) terminate an app that is suspended while it holds a lock
        /// in a folder that it shares with its extensions. In the folder of an app group, each process therefore has
        /// its own folder without such locks. Together they are one installation; each process delivers the events that
        /// it recorded and asks for consent separately.
        public var folder: URL?

        /// The key that encrypts everything in the folder.
        ///
        /// This includes events, contexts, identity and decisions. nil (the default) does not encrypt, because only the
        /// app can keep a key, and if the key is lost, so is the encrypted data.
        ///
        /// ```swift
        /// configuration.storage.encryption = .key(EncryptionKey(bytes))
        /// ```
        /// Unencrypted data that is already in the folder is still read and delivered. A folder that was encrypted with
        /// another key, or with any key if none is given, is rejected with ``TrackwayError/Code/encryptionKeyMissing``
        /// and left unchanged. All processes of an installation need the same keys.
        public var encryption: Encryption?

        /// The maximum size of all pending events, in bytes.
        ///
        /// When the limit is reached, the oldest events are dropped and counted. 50 MB by default: about 120,000 events
        /// with ten attributes each, which is weeks of offline time for most apps.
        public var maximumBytes = 50_000_000

        /// The maximum size of events for local destinations, in bytes.
        ///
        /// This limit is in addition to ``maximumBytes``. 50 MB by default. Events for local destinations have no age
        /// limit, because only the app can process them. When the limit is reached, the oldest events are dropped and
        /// counted in the ledger as `journal_full`.
        public var maximumLocalDestinationBytes = 50_000_000

        /// The maximum age of a pending event.
        ///
        /// Older events are dropped and counted. 30 days by default, because few reports cover a longer period.
        public var maximumAge = Duration.seconds(30 * 86400)

        /// Creates settings with their defaults.
        public init() {}
    }

    /// Settings for sending events, for all destinations.
    public struct Delivery: Sendable {
        /// The policy for sending and retrying events.
        ///
        /// A ``DestinationConfiguration`` can have its own policy instead.
        public var policy = DeliveryPolicy()

        /// The effects of low power, heat and the network on delivery.
        ///
        /// By default, uploads that the app did not request are at least five minutes apart while the device saves
        /// power or is hot, and wait while it is very hot or has no network. These settings have no effect on Linux,
        /// which does not report such conditions. The network conditions do not apply to a custom ``transport``.
        public var conditions = DeliveryConditions()

        /// The transport that sends requests.
        ///
        /// nil (the default) uses URLSession on Apple platforms and libcurl on Linux; both use the system's proxies and
        /// certificates.
        public var transport: (any Transport)?

        /// Whether events are also sent in low-data mode.
        ///
        /// False by default: a network in this mode counts as no network, even for a flush, and pending events wait for
        /// another network. Only Apple platforms have this mode. A custom ``transport`` makes its own decision.
        public var allowsConstrainedNetworks = false

        /// Creates settings with their defaults.
        public init() {}
    }

    /// Consent, and the handling of events when it is denied.
    public struct Privacy: Sendable {
        /// The initial consent, used until the user decides.
        ///
        /// The initial consent applies until a decision is made for the device with
        /// ``Analytics/setConsent(_:category:scope:source:version:)``. Decisions survive restarts. `.pending` by
        /// default, because nothing may leave a device before someone has permitted it: events are kept, and nothing is
        /// sent. An app that needs no consent chooses `.granted`, usually in
        /// ``Configuration/init(appID:destinations:consent:)``. If nothing was chosen and a destination sends events,
        /// the diagnostic `consent_not_chosen` is reported.
        ///
        /// Local destinations can be read before anything is chosen, because their events stay on the device.
        public var consent: Consent {
            get { chosenConsent ?? .pending }
            set { chosenConsent = newValue }
        }

        /// The initial consent that the app chose; nil if it chose none.
        package var chosenConsent: Consent?

        /// The policy for pending events when consent is denied.
        ///
        /// `.purge` by default, because users who deny consent expect that.
        public var denialPolicy = ConsentDenialPolicy.purge

        /// The owner of events recorded before sign-in.
        ///
        /// `.mergeIntoUser` by default: the user who signs in is nearly always the person who used the app a minute
        /// ago.
        public var anonymousEventPolicy = AnonymousEventPolicy.mergeIntoUser

        /// The facts about the app and the device that are never recorded.
        ///
        /// Empty by default, because reports depend on most of them, and none names a person. For example,
        /// `[.deviceID, .deviceLocale]` omits these two. Applies to events recorded from then on, in every format.
        public var omittedContext: Set<ContextField> = []

        /// Whether `device.id` on Apple platforms is `identifierForVendor`.
        ///
        /// False by default: that id is the same in all apps of a vendor. The device's id is then a keyed hash of it,
        /// different for each app, as on Linux. Compatibility modules set this to true, because the documents of their
        /// formats require that id.
        public var sharesVendorID = false

        /// Whether the app is for children, so that less is recorded.
        ///
        /// False by default. If true, these are never recorded, regardless of other settings:
        ///
        /// - the advertising identifier and the device's stable id
        /// - properties of the device that identify it, and network addresses
        /// - location and motion from the system's sensors
        /// - attributes of users; setting them is reported as a `Diagnostic`
        ///
        /// ``children`` creates these settings.
        public var isChildDirected = false

        /// Creates settings with their defaults.
        public init() {}
    }

    /// The conditions under which a session ends.
    public struct Sessions: Sendable, Hashable {
        /// The time in the background after which a session ends.
        ///
        /// The next use of the app then begins a new session. 30 minutes by default, as in most reports.
        public var timeout = Duration.seconds(1800)

        /// The idle time in the foreground after which a session ends.
        ///
        /// The time is measured from the last user activity.
        ///
        /// The next activity then begins a new session. The minimum is one second. nil (the default) ends no session in
        /// the foreground, because phones close or background unused apps. 30 minutes is usual on a desktop, where an
        /// app may stay in the foreground for weeks.
        ///
        /// Activity is an event that the app records, a screen, a touch, a sign-in, or the return from another window.
        /// Heartbeats, snapshots and other events that the SDK records automatically are not activity. These events are
        /// recorded before the event that begins the session: `_user_engagement` of the screen, which ends at the last
        /// activity; `_session_start`; and the screen's view. Times are measured to the second, by the process that
        /// captures.
        public var idleTimeout: Duration?

        /// The maximum length of a session.
        ///
        /// The next user activity or return to the foreground after this time begins a new session. The minimum is one
        /// second. nil (the default) sets no limit, because most reports count one long use as one session.
        public var maximumLength: Duration?

        /// Creates settings with their defaults.
        public init() {}
    }

    /// Settings for suspension and termination of the process.
    public struct Lifecycle: Sendable {
        /// Whether the SDK observes suspension and termination of the process.
        ///
        /// The SDK observes UIKit's notifications where UIKit is available, and otherwise the process's signals
        /// (Ctrl-Z, termination, exit). It then sends pending events in the short time that remains, and lets another
        /// process deliver while this one is suspended. True by default; the app's own handlers keep working. If false,
        /// nothing is lost, but events arrive later.
        public var isObserved = true

        /// The maximum time for sending events before the process is suspended.
        ///
        /// A process that is being suspended (Ctrl-Z) is delayed by up to this time. 250 ms by default, because users
        /// expect the prompt immediately. Events that have not been sent by then are sent when the process continues,
        /// or by another process. 0 sends nothing.
        public var suspensionTimeout = Duration.milliseconds(250)

        /// The maximum time for sending events before the process ends.
        ///
        /// A process that ends, by a signal or on its own, is delayed by up to this time. 1 s by default. A short-lived
        /// command that must send its events can use a longer time.
        public var terminationTimeout = Duration.seconds(1)

        /// Creates settings with their defaults.
        public init() {}
    }
}

/// The policy for pending events when consent is denied.
public enum ConsentDenialPolicy: Sendable, Hashable, CaseIterable {
    /// Pending events are dropped and counted.
    case purge
    /// Pending events are kept in case the user changes the decision.
    ///
    /// Such events are kept only while no other user's events are pending after them.
    case keep
}

/// The owner of events recorded before sign-in.
public enum AnonymousEventPolicy: Sendable, Hashable, CaseIterable {
    /// The user who signs in next.
    ///
    /// That user's consent decision also applies to the events.
    case mergeIntoUser
    /// An anonymous person.
    ///
    /// The device's consent decision applies to the events, and the collector does not attribute them to the user.
    case keepSeparate
}
