// What is used of ua-parser-js, which comes without types.
declare module 'ua-parser-js' {
  export class UAParser {
    constructor(userAgent: string);
    getDevice(): { readonly type: string | undefined };
  }
}
