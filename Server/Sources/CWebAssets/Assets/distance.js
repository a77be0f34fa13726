// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Projects degrees to meters on a plane, which is accurate enough for the movements of one device.

const earthRadius = 6_371_008.8;
const oneDegree = Math.PI / 180;

/** Returns whether a location can be drawn. Senders can send any value. */
export const isValidLocation = (location) =>
  location !== null && location !== undefined && Number.isFinite(location.latitude) && Number.isFinite(location.longitude) &&
  Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180;

/** Returns the locations as {x, y} in meters east and north of the origin; both axes have the same scale. */
export function projectToMeters(locations, origin) {
  const longitudeScale = Math.cos(origin.latitude * oneDegree);
  return locations.map(({ latitude, longitude }) => {
    let east = longitude - origin.longitude;
    // Take the shorter way around the globe, so that a path across the 180th meridian is continuous.
    if (east > 180) east -= 360;
    if (east < -180) east += 360;
    return { x: earthRadius * east * oneDegree * longitudeScale, y: earthRadius * (latitude - origin.latitude) * oneDegree };
  });
}

/** Returns the diagonal in meters of the bounding box of points in meters. */
export function diagonal(points) {
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  return Math.hypot(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
}

/** Returns the largest of 1, 2, 5, 10, 20, … that is not greater than `meters`. */
export function floorToRound(meters) {
  const power = 10 ** Math.floor(Math.log10(meters));
  return [5, 2, 1].map((factor) => factor * power).find((step) => step <= meters) ?? power;
}

/** Formats a distance: "8 m", "340 m", "1.2 km", "1,240 km". */
export function formatDistance(meters) {
  if (meters < 10 && meters % 1 !== 0) return `${meters.toFixed(1)} m`;
  if (meters < 1000) return `${Math.round(meters)} m`;
  return `${(meters / 1000).toLocaleString("en", { maximumFractionDigits: meters < 100_000 ? 1 : 0 })} km`;
}

/** Formats coordinates as "48.13714, 11.57536"; five decimal places are about a meter. */
export const formatCoordinates = ({ latitude, longitude }) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
