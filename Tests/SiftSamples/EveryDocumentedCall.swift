// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SiftCompatibility

// Every call in the document's chapter 4, with the only import that an app has. Parameters that were implicitly
// unwrapped optionals get optionals here, as in apps.

/// 4.1.
func documentedCallsOfSift(_ name: String?) -> [Bool] {
    let sift = Sift.sharedInstance()
    let (account, key, user): (String?, String?, String?) = ("acct_1", "beacon123", "user-42")
    sift.setAccountId(account)
    sift.setBeaconKey(key)
    sift.accountId = account
    sift.beaconKey = key
    sift.serverUrlFormat = "https://api3.siftscience.com/v3/accounts/%@/mobile_events"
    sift.userId = user
    sift.setUserId(user)
    sift.unsetUserId()
    sift.disallowCollectingLocationData = false
    sift.setDisallowCollectingLocationData(true)
    sift.allowUsingMotionSensors = false
    sift.collect()
    sift.defaultQueueIdentifier = "sift-default"
    let config = SiftQueueConfig(acceptSameEventAfter: 3_600, uploadWhenMoreThan: -1, uploadWhenOlderThan: 0)
    let event: SiftEvent? = SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3"])
    return [
        sift.hasEventQueue(name), sift.addEventQueue(name, config: config), sift.append(event, toQueue: name),
        sift.append(event), sift.upload(), sift.upload(false), sift.upload(true), sift.removeEventQueue(name),
    ]
}

/// 4.2.
func documentedCallsOfEvents() -> [Bool] {
    let event = SiftEvent.eventWithType("checkout", path: "/cart", fields: ["cart_size": "3"])
    let other = SiftEvent(type: "checkout", path: "/cart", fields: ["cart_size": "3"])
    other.time = event.time + 1
    let list = SiftEvent.listRequest([event, other])
    return [
        event.isEssentiallyEqual(to: other), event.sanityCheck(), !list.isEmpty,
        SiftEvent.appendDevicePropertiesEvent(event),
    ]
}

/// 4.3.
func documentedCallsOfQueues(_ queue: SiftQueue, appending event: SiftEvent) -> [Bool] {
    let (hour, minute): (Int, Int) = (3_600, 60)
    let config = SiftQueueConfig().withAcceptSameEventAfter(hour).withUploadWhenMoreThan(32)
        .withUploadWhenOlderThan(minute)
    let isAppended = queue.append(event)
    queue.archive()
    queue.unarchive()
    let isReady = queue.readyForUpload()
    let isRequested = queue.requestUpload()
    let events: [SiftEvent] = queue.transfer()
    let last: SiftEvent? = queue.lastEvent
    let times: [SFTimestamp] = [queue.lastUploadTimestamp, last?.time ?? 0]
    return [
        isAppended, isReady, isRequested, events.isEmpty, queue.queue.isEmpty, queue.identifier.isEmpty,
        queue.archivePath.isEmpty, queue.config == config, times.contains(0),
    ]
}

/// 4.4.
func documentedCallsOfTheUploader() -> [Bool] {
    let uploader = Sift.sharedInstance().uploader
    uploader.archive()
    uploader.unarchive()
    return [uploader.upload([SiftEvent(type: "checkout", path: nil, fields: nil)]), uploader.doUpload()]
}

/// 4.5 and 4.6.
func documentedCallsOfCollectors() -> [Bool] {
    Sift.sharedInstance().devicePropertiesCollector.collect()
    let collector = Sift.sharedInstance().appStateCollector
    let time = Timestamp(milliseconds: 1)
    let reading = SensorReading(time: time, values: Vector3(x: 1, y: 2, z: 3))
    collector.updateDeviceMotion(
        DeviceMotion(
            time: time,
            attitude: DeviceMotion.Attitude(roll: 0, pitch: 0, yaw: 0),
            rotationRate: Vector3(x: 0, y: 0, z: 0),
            gravity: Vector3(x: 0, y: 0, z: -1),
            userAcceleration: Vector3(x: 0, y: 0, z: 0),
            magneticField: Vector3(x: 0, y: 0, z: 0),
            calibration: .uncalibrated
        )
    )
    collector.updateAccelerometerData(reading)
    collector.updateGyroData(reading)
    collector.updateMagnetometerData(reading)
    collector.requestCollectionWithTitle("Cart")
    collector.checkAndCollectWhenNoneRecently(SFTimestamp(1))
    collector.collectWithTitle("Cart", SFTimestamp(1))
    collector.archive()
    collector.unarchive()
    return [
        collector.canCollectLocationData(), collector.disallowCollectingLocationData(),
        collector.allowUsingMotionSensors(),
    ]
}
