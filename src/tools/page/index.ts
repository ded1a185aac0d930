/** Heat maps as plain data, and as one HTML file. `browser/` draws them, on any page. */
export { conclusionOf, designMaps, mapsOfDesign } from './design-maps.js';
export { heatPage, type PageConclusion } from './heat-page.js';
export { type HeatMap, heatMaps, unjudgedText } from './heat-map.js';
export { packMaps } from './page-data.js';
export { bucketText, type HeatTable } from './heat-table.js';
