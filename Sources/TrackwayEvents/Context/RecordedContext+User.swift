// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension RecordedContext {
    /// Who used the app, as far as the app said.
    public struct User: Sendable, Hashable {
        /// The id the app gave; nil when nobody was signed in.
        public var id: String?
        /// When the user signed in; nil when nobody did, or when it is not known.
        public var signedInAt: Timestamp?
        /// Names the person for back-ends that tell people apart on one device: the same again when a known user comes
        /// back.
        public var uniqueID: String?
        /// When this person first opened the app.
        public var firstTouch: Timestamp?
        /// Names the device's anonymous visitor; stays when people sign in and out.
        public var anonymousID: String?
        /// Further ids of the person, by the name of their kind.
        public var identities: Attributes
        /// What the app said about the person.
        public var attributes: [Attribute]
        /// Whose consent counts for events of this context; nil when consent is not kept by person.
        public var subject: String?

        /// A user of these parts.
        public init(
            id: String? = nil,
            signedInAt: Timestamp? = nil,
            uniqueID: String? = nil,
            firstTouch: Timestamp? = nil,
            anonymousID: String? = nil,
            identities: Attributes = [:],
            attributes: [Attribute] = [],
            subject: String? = nil
        ) {
            self.id = id
            self.signedInAt = signedInAt
            self.uniqueID = uniqueID
            self.firstTouch = firstTouch
            self.anonymousID = anonymousID
            self.identities = identities
            self.attributes = attributes
            self.subject = subject
        }

        /// One attribute of a user.
        public struct Attribute: Sendable, Hashable {
            /// Its name.
            public var name: String
            /// Its value.
            public var value: AttributeValue
            /// When the app set it.
            public var setAt: Timestamp

            /// An attribute of these parts.
            public init(name: String, value: AttributeValue, setAt: Timestamp) {
                self.name = name
                self.value = value
                self.setAt = setAt
            }
        }
    }
}
