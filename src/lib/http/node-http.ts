// Node's `http` and `https`. An import would evaluate all their exports, the client behind `fetch` among them: 35 ms of a start.
export const http = process.getBuiltinModule('node:http');
export const https = process.getBuiltinModule('node:https');
