// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayPlatform

@Suite("Duplicate classes")
struct DuplicateClassTests {
    private static let app = "/private/var/containers/Bundle/Application/5D0A/Shop.app"

    @Test
    func `a duplicate class is reported with every file that defines it, in image order`() {
        let images = [
            LoadedImage(path: "\(Self.app)/Shop", classes: ["SensorsAnalyticsSDK", "SAConfigOptions"]),
            LoadedImage(path: "\(Self.app)/Frameworks/Other.framework/Other", classes: ["SAConfigOptions"]),
            LoadedImage(
                path: "\(Self.app)/Frameworks/SensorsAnalyticsSDK.framework/SensorsAnalyticsSDK",
                classes: ["SensorsAnalyticsSDK", "SAConfigOptions", "SAReachability"]
            ),
        ]
        let found = DuplicateClass.among(["SensorsAnalyticsSDK", "SAConfigOptions", "SAReachability"], in: images)
        #expect(found.map(\.name) == ["SAConfigOptions", "SensorsAnalyticsSDK"])
        #expect(
            found.map(\.files) == [
                ["Shop.app/Shop", "Other.framework/Other", "SensorsAnalyticsSDK.framework/SensorsAnalyticsSDK"],
                ["Shop.app/Shop", "SensorsAnalyticsSDK.framework/SensorsAnalyticsSDK"],
            ]
        )
    }

    @Test
    func `a class that only one image defines is not a duplicate`() {
        let image = LoadedImage(path: "\(Self.app)/Shop", classes: ["SensorsAnalyticsSDK"])
        let other = LoadedImage(path: "\(Self.app)/Frameworks/Other.framework/Other", classes: ["Other"])
        for images in [[], [image], [image, image], [image, other]] {
            #expect(DuplicateClass.among(["SensorsAnalyticsSDK", "Other"], in: images).isEmpty)
        }
    }

    @Test(arguments: [
        ("/System/Library/Frameworks/UIKit.framework/UIKit", true),
        ("/usr/lib/libobjc.A.dylib", true),
        (
            "/Library/Developer/CoreSimulator/Volumes/iOS_23A/Library/RuntimeRoot/System/Library/Frameworks/UIKit.framework/UIKit",
            true
        ),
        ("/Library/Developer/CoreSimulator/Volumes/iOS_23A/RuntimeRoot/usr/lib/libobjc.A.dylib", true),
        ("\(app)/Shop", false),
        ("\(app)/Frameworks/System/Other.framework/Other", false),
        ("/usr/local/lib/libother.dylib", false),
    ])
    func `classes in the system's images are ignored`(_ path: String, _ isSystem: Bool) {
        #expect(LoadedImage.isSystem(path) == isSystem)
    }
}
