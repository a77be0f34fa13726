// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// macos tvos: no such module 'CoreMotion'

import CoreMotion
