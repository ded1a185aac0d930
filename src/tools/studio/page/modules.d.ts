/** Modules without types of their own. */

/** Styles as text. */
declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*/browser/data.js' {
  export interface HeatData {
    readonly maps: readonly unknown[];
  }
  export function readData(json: string): HeatData;
}

declare module '*/browser/heat-map.js' {
  import type { HeatData } from '*/browser/data.js';
  export interface HeatMapPage {
    readonly state: { theme: 'light' | 'dark' };
    draw(): void;
  }
  export function mountHeatMap(root: HTMLElement, data: HeatData): HeatMapPage;
}
