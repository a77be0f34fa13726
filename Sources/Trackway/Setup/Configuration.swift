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

/// How an ``Analytics`` works. It is read once, when the ``Analytics`` is made; what may change later goes through
/// ``Analytics/options``.
///
/// ```swift
/// var configuration = Configuration(
///     appID: "shopping",
///     destinations: [.collector(URL(string: "https://events.example.com")!, writeKey: "…")]
/// )
/// configuration.consent = .pending
/// let analytics = try Analytics(configuration)
/// ```
public struct Configuration: Sendable {
    // MARK: Required

    /// Which app records: 1 to 256 bytes, for example the bundle identifier. It names the storage folder and is part of
    /// every event's context.
    public var appID: String

    /// Who receives the events: at least one, each with an id of its own.
    public var destinations: [any Destination]

    // MARK: The app

    /// The app's version as events show it. nil (the default) takes the version of the main bundle, because that is
    /// what the store shows; a command-line program has none.
    public var appVersion: String?

    /// The app's build number as events show it. nil (the default) takes that of the main bundle; a command-line program
    /// has none.
    public var appBuild: String?

    // MARK: Storage

    /// The folder in which events wait, made when missing. nil (the default) takes the system's place for state that
    /// must survive but is not the user's own data, one folder per ``appID``, because nobody should have to choose.
    ///
    /// Several processes of one app may share a folder; they then are one installation. Systems that suspend apps (iOS, iPadOS,
    /// tvOS, watchOS, visionOS) end an app that is suspended while it holds a lock in a folder that it shares with its extensions.
    /// In the folder of an app group each process has a folder of its own there, without such locks: together they are one
    /// installation, each delivers what it recorded, and each asks for consent by itself.
    public var storageFolder: URL?

    /// The key that everything in the folder is encrypted with: events, contexts, identity, decisions. nil (the default) writes
    /// plainly, because a key is the app's to keep: what is encrypted is lost with it.
    ///
    /// ```swift
    /// configuration.encryption = .key(EncryptionKey(bytes))
    /// ```
    /// What lies there plainly already is still read and delivered. A folder that was encrypted with another key, or with any
    /// where none is given, is refused with ``TrackwayError/Code/encryptionKeyMissing`` and left as it is. All processes of an
    /// installation need the same keys.
    public var encryption: Encryption?

    /// How many bytes may wait on the device; the oldest events go first, counted. 50 MB by default: about 120,000
    /// events of ten attributes, weeks of offline time for most apps, and little beside the photos on any device.
    public var maximumJournalBytes = 50_000_000

    /// Bytes that events for ``LocalDestination``s may take on the device beyond that. 50 MB by default. They have no age limit, because
    /// nobody but the app can take them; beyond this limit the oldest go first, counted in the ledger as `journal_full`.
    public var maximumLocalDestinationBytes = 50_000_000

    /// How long an event may wait; older ones are dropped, counted. 30 days by default, because hardly any report looks
    /// further back.
    public var maximumJournalAge = Duration.seconds(30 * 86400)

    /// How much an event may carry. The defaults suit the collector.
    public var limits = EventLimits()

    // MARK: What is recorded, and what leaves

    /// See, change or drop the events that the app records, in this order, on the threads that record. Empty by default:
    /// then they cost nothing.
    public var interceptors: [Interceptor] = []

    /// What leaves for single destinations, and how: which events, under which names, without which attributes, of how many
    /// people. Empty by default: everything leaves as it was recorded. A destination that is added at run time brings its
    /// rules with it; ``Analytics/options`` changes them. Every process of an installation needs the same rules, because
    /// one of them delivers for all.
    public var rules: [DestinationID: DestinationRules] = [:]

    // MARK: Delivery

    /// When and how often events are sent, for every destination that ``deliveryExceptions`` does not name.
    public var delivery = DeliveryPolicy()

    /// Destinations with a pace of their own; empty by default.
    public var deliveryExceptions: [DestinationID: DeliveryPolicy] = [:]

    /// What the device's state means for delivery: low power, heat, the network. By default uploads that nobody asked for keep five
    /// minutes apart while the device saves power or is hot, and wait while it is very hot or has no network. Without effect on
    /// Linux, whose devices do not say. The network's part does not count for a ``transport`` of the app's own.
    public var conditions = DeliveryConditions()

    /// What carries requests. nil (the default) takes the system's: URLSession on Apple's systems, libcurl on Linux;
    /// both know the system's proxies and certificates.
    public var transport: (any Transport)?

    /// Whether events are sent in low-data mode, too, where the person told the system to send as little as possible. False by
    /// default: such a network counts as none, for a flush as well, and what waits goes out on another one. Apple's systems have such a mode; a
    /// ``transport`` of the app's own decides for itself.
    public var allowsConstrainedNetworks = false

    /// Whether the SDK watches the process's signals (Ctrl-Z, termination, exit), or UIKit's notifications where there is
    /// UIKit, to send what waits in the short moment before, and to let another process deliver while this one is stopped.
    /// True by default: the app's own handlers keep working, and nothing is lost without it, events only arrive later.
    public var followsLifeCycle = true

    /// How long a process that is being stopped (Ctrl-Z) may be held up to send what waits, where its signals are watched.
    /// 250 ms by default: whoever presses the keys expects the prompt at once. What is not sent by then stays, and is sent
    /// when the process goes on, or by another one. 0 sends nothing.
    public var suspensionTimeout = Duration.milliseconds(250)

    /// The same for a process that ends, by a signal or by itself. 1 s by default; a command that lives shortly and wants its
    /// events sent may choose more.
    public var terminationTimeout = Duration.seconds(1)

    // MARK: Behaviour

    /// What is recorded without the app calling `record`: starts and exits, sessions, screens, engagement, updates by
    /// default, because most reports begin with them. `.none` records what the app records and nothing else.
    public var capture = CaptureOptions.standard

    /// How long the app may stay in the background before the next use of it is another session. 30 minutes by default,
    /// as most reports count.
    public var sessionTimeout = Duration.seconds(1800)

    /// The time without user activity in the foreground after which the next activity begins another session, at least a second.
    /// nil (the default) ends no session in the foreground, because phones close or leave unused apps. 30 minutes is usual on a
    /// desktop, where an app may stay in the foreground for weeks.
    ///
    /// Activity is an event that the app records, a screen, a touch, a sign-in, or the return from another window; heartbeats, snapshots and
    /// other events that the SDK records by itself are none. `_user_engagement` of the screen, which ends at the last activity,
    /// `_session_start` and the screen's view are recorded before the event that begins the session. Times are measured to the
    /// second, by the process that captures.
    public var sessionIdleTimeout: Duration?

    /// The age of a session from which on the next user activity, or a return to the foreground, begins another one, at least a second.
    /// nil (the default) sets no limit, because most reports count one long use as one session.
    public var maximumSessionLength: Duration?

    // MARK: Snapshots

    /// Whether and how snapshots of the device and the app's state are taken: battery, orientation, networks, place, motion.
    /// nil (the default) takes none, because not every app needs to know that much about a device.
    public var snapshots: SnapshotOptions?

    // MARK: Permission

    /// The consent to begin with: what counts for everybody who has not decided, as long as nothing was decided for the
    /// device with ``Analytics/setConsent(_:category:scope:)``. Decisions survive restarts. Granted by default: an app that must ask says `.pending` here.
    public var consent = Consent.granted

    /// What each destination uses events for, as far as people are asked about it separately. A destination without an
    /// entry belongs to `analytics`. Empty by default: one decision for everything.
    public var consentCategories: [DestinationID: ConsentCategory] = [:]

    /// What becomes of events that wait when somebody refuses. Purged by default, because that is what people expect who
    /// say no; kept ones are sent if the person thinks better of it.
    public var consentDenialPolicy = ConsentDenialPolicy.purge

    /// Whose the events are that were recorded before somebody signed in. The user's by default: who signs in is nearly
    /// always who used the app a minute ago.
    public var anonymousEventPolicy = AnonymousEventPolicy.mergeIntoUser

    /// Whether the SDK begins switched on, until ``Analytics/isEnabled`` was set once on
    /// this installation. True by default.
    public var isEnabled = true

    // MARK: What can be seen

    /// Whether each event is also written to standard error as it is recorded. False by default: it costs a system call
    /// per event and shows users' data.
    public var logEvents = false

    /// Stands in front of each logged event, so that people find them among other lines. Empty by default.
    public var eventLogLabel = ""

    /// Handles every mistake and difficulty.
    ///
    /// It is called on the thread that noticed it, with no lock held, and must return quickly. It may call the SDK: a diagnostic
    /// that is caused inside of it is not reported to it but counted (``Analytics/unreportedDiagnostics``). nil (the default)
    /// writes to standard error, a few lines per kind and minute, so that no mistake goes unseen.
    public var onDiagnostic: (@Sendable (Diagnostic) -> Void)?

    /// How events recorded from the beginning are to be treated; see ``TrackwayEvents/RecordedContext/modes``. Empty by
    /// default; for compatibility modules.
    package var modes: Attributes = [:]

    /// How events are shown in the log; nil for as they are stored. For compatibility modules.
    package var eventLogForm: EventLogForm?

    /// The SDK that the app had before, whose state a new installation takes over; nil for none. For compatibility modules.
    package var predecessor: Predecessor?

    /// Makes the dependencies of a test; nil for the system's. See `TrackwayTesting.InMemoryEnvironment`.
    package var dependencySource: (any DependencySource)?

    /// Makes a configuration; everything not named here has its documented default.
    public init(appID: String, destinations: [any Destination]) {
        self.appID = appID
        self.destinations = destinations
    }
}

/// What becomes of events that wait when somebody refuses.
public enum ConsentDenialPolicy: String, Sendable, Hashable, CaseIterable {
    /// They are dropped and counted.
    case purge
    /// They wait, in case the person thinks better of it, as long as nobody else's events wait behind them.
    case keep
}

/// Whose the events are that were recorded while nobody was signed in.
public enum AnonymousEventPolicy: String, Sendable, Hashable, CaseIterable {
    /// Those of the person who then signs in: their decision about consent counts for them, too.
    case mergeIntoUser
    /// Those of somebody who stayed unknown: what counts for the device counts for them.
    case keepSeparate
}
