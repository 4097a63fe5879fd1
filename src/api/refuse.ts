import { Code } from "@connectrpc/connect";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Refusal } from "./gate.ts";

/** Of HTTP/1.1 and HTTP/2 alike. */
type Handler = ReturnType<typeof connectNodeAdapter>;
export type ApiRequest = Parameters<Handler>[0];
export type ApiResponse = Parameters<Handler>[1];

/** Answers without a look at the body, in the protocol that the request speaks. */
export function refuse(request: ApiRequest, response: ApiResponse, { code, message }: Refusal): void {
  const type = request.headers["content-type"] ?? "";
  const isHttp1 = request.httpVersionMajor === 1;
  // What is still to come is not read.
  const close = isHttp1 ? { connection: "close" } : {};
  if (type.startsWith("application/grpc")) {
    const headers = { "content-type": type, "grpc-status": String(code), "grpc-message": encodeURIComponent(message) };
    write(response, 200, { ...headers, ...close });
    response.end();
  } else {
    const challenge = code === Code.Unauthenticated ? { "www-authenticate": "Bearer" } : {};
    const name = Code[code].replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
    write(response, codeToHttpStatus(code), { "content-type": "application/json", ...challenge, ...close });
    response.end(JSON.stringify({ code: name, message }));
  }
  if (isHttp1) request.unpipe();
}

/** A JSON answer outside the protocols: health checks, unknown paths. */
export function answer(response: ApiResponse, status: number, body: object): void {
  write(response, status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(body)}\n`);
}

/** The two kinds of responses are one here. */
function write(response: ApiResponse, status: number, headers: Readonly<Record<string, string>>): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
