/* The page of a file: the data are embedded in it. */
import { readData } from './data.js';
import { mountHeatMap } from './heat-map.js';

const data = readData(document.getElementById('data').textContent);
document.title = data.title;
const heatMap = mountHeatMap(document.getElementById('heat-map'), data);
