// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility
@testable internal import SAPUsageSamples

/// The samples use the shared instance, so they run one after another.
@Suite("Code samples in SAP's document", .serialized)
struct DocumentSampleTests {
    private let environment = InMemoryEnvironment()

    init() {
        Usage.startOver { [environment] in $0.run(in: environment) }
        documentConfiguresTheStore()
    }

    private func records(of target: String) throws -> [UsageRecord] {
        let snapshot = try #require(Usage.shared.store?.snapshot(for: target))
        var records: [UsageRecord] = []
        snapshot.records { record in
            records.append(record)
            return true
        }
        return records
    }

    @Test
    func `the configured store is the store for unattributed records while no user is known`() {
        #expect(Usage.shared.store?.storageID == Usage.unattributedStorageID)
        #expect(Usage.shared.userID == nil)
        #expect(!Usage.shared.outputEnabled())
    }

    @Test
    func `reports in the format go to the default target`() throws {
        documentReportsInTheFormat()
        let records = try records(of: Usage.defaultTargetID)
        #expect(records.map(\.event) == [.sessionStart, .event("testKey"), .sessionEnd])
        #expect(records.first?.info["application"] as? String == "org.example.shop")
        #expect(records.first?.info["appVersion"] as? String == "3.2.0")
        #expect(records[1].info["type"] as? String == "testType")
    }

    @Test
    func `records in the format go to any target`() throws {
        documentReportsToAnyTarget()
        #expect(try records(of: "myTarget").map(\.event) == [.sessionStart, .event("testKey")])
        #expect(try records(of: Usage.defaultTargetID).isEmpty)
        #expect(Usage.shared.targetIdentifiers() == ["myTarget"])
    }

    @Test
    func `flexible reports are read back unchanged`() throws {
        documentReportsFlexibly()
        let records = try records(of: Usage.defaultTargetID)
        #expect(records.map(\.event) == [.sessionStart, .event("SomeCustomEvent"), .event("SomeCustomEvent")])
        #expect(records[1].info.isEmpty)
        #expect(records[2].info["MyCustomKey"] as? String == "MyCustomData")
    }

    @Test
    func `behavior events have the format's key and fields`() throws {
        let controller = DocumentViewController()
        controller.viewDidAppear(true)
        controller.buttonPressed()
        controller.prepare(for: StandInStoryboardSegue(), sender: nil)
        let records = try records(of: Usage.defaultTargetID)
        #expect(records.allSatisfy { $0.event == .event("BehaviorEvent") })
        let infos = records.map { $0.info.mapValues { "\($0)" } }
        #expect(
            infos == [
                ["type": "viewDisplayed", "view": "Products Listing Screen"],
                ["type": "userInteraction", "view": "Products Listing Screen", "element": "Refresh Button"],
                [
                    "type": "userInteraction", "view": "Products Listing Screen", "element": "Products Table",
                    "action": "Row Selected", "value": "iPad Pro",
                ],
            ]
        )
    }

    @Test
    func `every declaration in the document exists with its labels and defaults`() throws {
        #expect(Usage.defaultTargetID == "default")
        #expect(Usage.unattributedStorageID == UsageStore.unattributedStorageID)
        #expect(UUID(uuidString: Usage.unattributedUserID) != nil)
        let usage: Usage = Usage.shared
        #expect(usage === Usage.shared)
        let answers: (Bool, Bool, String?) = (usage.dataCollectionEnabled, usage.userConsent, usage.userID)
        #expect(answers == (false, false, nil))
        let store: any UsageStoring = try #require(usage.store)
        usage.configure(with: store)
        usage.configure(with: store, retainLastUnattributedSession: true, addSessionData: "app")
        let reporter: UsageReporter = usage.reporter()
        #expect(reporter === usage.reporter(for: "default", injectUnattributed: false))
        usage.register(reporter: UsageReporter())
        usage.register(reporter: reporter, for: "other", injectUnattributed: true)
        usage.unregisterReporter(from: "other")
        let targets: [String] = usage.targetIdentifiers()
        #expect(targets == ["default"])
        let person = try #require(UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10"))
        usage.enableDataCollection()
        usage.enableDataCollection(addSessionData: "app")
        usage.consentForUser(person)
        usage.consentForUser(person, given: true)
        usage.consentForUser(person, given: true, addSessionData: "app")
        #expect(usage.hasConsentForUser(person))
        usage.disableDataCollection()
        usage.disableDataCollection(addSessionData: true)
        #expect(!usage.outputEnabled())
        #expect(UsageRecord.defaultSessionInfo()[UsageRecord.sessionIdentifierKey] is String)
        #expect(store.initTimestamp <= Usage.now)
        store.removeRecords(before: Usage.now, after: nil, targetID: "default")
        #expect(store.snapshot(for: "default", till: nil).recordCount() == 0)
        #expect(try UsageStore(with: UsageStore.defaultFolderURL, storageID: person).storageID == person.uuidString)
    }

    @Test
    func `a custom uploader reads pending records and removes those it has uploaded`() throws {
        documentReportsToAnyTarget()
        #expect(documentUploadsByItself { _ in false } == 0)
        #expect(documentUploadsByItself { $0.map(\.event) == [.sessionStart, .event("testKey")] } == 2)
        #expect(documentUploadsByItself { $0.isEmpty } == 0)
        #expect(Usage.shared.targetIdentifiers() == ["myTarget"])
        #expect(Usage.shared.store?.targetIdentifiers().isEmpty == true)
    }
}
