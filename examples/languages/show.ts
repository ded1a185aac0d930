/** Prints the values of each hour, which the Python job wrote. */
import { open } from 'rowsmith';
import { Hourly } from './entities.js';

await using db = await open('bigtable://demo/plant', { entities: [Hourly] });
for await (const { device, hour, count, mean } of db.repository(Hourly).scanAll())
  console.log(`${device} ${hour.toISOString().slice(11, 16)} ${count} ${mean.toFixed(2)}`);
