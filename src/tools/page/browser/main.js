/* The page of a file: the data are embedded in it. */
import { readData } from './data.js';
import { mountHeatMap } from './heat-map.js';

const heatMap = mountHeatMap(
  document.getElementById('heat-map'),
  readData(document.getElementById('data').textContent),
);
