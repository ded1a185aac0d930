/** Heat maps as plain data, and as one HTML file. */
export { heatPage } from './heat-page.js';
export { bucketText, heatTable, type HeatTable } from './heat-table.js';
