// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension ClickstreamAnalytics {
    /// Names of reserved events that an app may record itself.
    public enum EventName {
        /// A screen was shown.
        public static let SCREEN_VIEW = "_screen_view"
    }

    /// Names of reserved attributes.
    public enum Attr {
        /// The screen's name; required in a screen view.
        public static let SCREEN_NAME = "_screen_name"
        /// An ID that distinguishes screens with the same name.
        public static let SCREEN_UNIQUE_ID = "_screen_unique_id"
        /// The source of the traffic, such as a search engine or site.
        public static let TRAFFIC_SOURCE_SOURCE = "_traffic_source_source"
        /// The medium, such as email or paid search.
        public static let TRAFFIC_SOURCE_MEDIUM = "_traffic_source_medium"
        /// The campaign's name.
        public static let TRAFFIC_SOURCE_CAMPAIGN = "_traffic_source_campaign"
        /// The campaign's ID.
        public static let TRAFFIC_SOURCE_CAMPAIGN_ID = "_traffic_source_campaign_id"
        /// The search term.
        public static let TRAFFIC_SOURCE_TERM = "_traffic_source_term"
        /// The content, which distinguishes several advertisements.
        public static let TRAFFIC_SOURCE_CONTENT = "_traffic_source_content"
        /// The click's ID.
        public static let TRAFFIC_SOURCE_CLID = "_traffic_source_clid"
        /// The platform of the click ID.
        public static let TRAFFIC_SOURCE_CLID_PLATFORM = "_traffic_source_clid_platform"
        /// The channel through which the app was installed.
        public static let APP_INSTALL_CHANNEL = "_app_install_channel"
        /// The value of the event.
        public static let VALUE = "_value"
        /// The currency of the value.
        public static let CURRENCY = "_currency"
    }

    /// Names of item attributes that every report supports.
    public enum Item {
        /// The item's ID; an item without one is left out.
        public static let ITEM_ID = "id"
        /// The item's name.
        public static let ITEM_NAME = "name"
        /// The location where the item is offered.
        public static let LOCATION_ID = "location_id"
        /// The item's brand.
        public static let ITEM_BRAND = "brand"
        /// The currency of the item's price.
        public static let CURRENCY = "currency"
        /// The item's price, a number.
        public static let PRICE = "price"
        /// The item's quantity: a number, or a string that contains one.
        public static let QUANTITY = "quantity"
        /// The name of the advertisement that showed the item.
        public static let CREATIVE_NAME = "creative_name"
        /// The position of the advertisement.
        public static let CREATIVE_SLOT = "creative_slot"
        /// The item's category.
        public static let ITEM_CATEGORY = "category"
        /// The item's second category.
        public static let ITEM_CATEGORY2 = "category2"
        /// The item's third category.
        public static let ITEM_CATEGORY3 = "category3"
        /// The item's fourth category.
        public static let ITEM_CATEGORY4 = "category4"
        /// The item's fifth category.
        public static let ITEM_CATEGORY5 = "category5"
    }
}
