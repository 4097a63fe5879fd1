import type { RecordedServer } from "../config/config.ts";
import { connectHttp } from "./connectHttp.ts";
import type { Connect, Connection, ConnectOptions } from "./connection.ts";
import { connectStdio } from "./connectStdio.ts";
import type { ClientParts } from "./mcpClient.ts";
import type { StdioParts } from "./stdioTransport.ts";

export interface ServerParts extends ClientParts, StdioParts {
  /** Recordings have a room of their own. */
  readonly recording: (server: RecordedServer, options: ConnectOptions) => Promise<Connection>;
}

/** The `Connect` of the product: each kind of server its own way. */
export function connectServer(parts: ServerParts): Connect {
  return async (server, options) => {
    switch (server.kind) {
      case "stdio":
        return await connectStdio(server, options, parts);
      case "http":
        return await connectHttp(server, options, parts);
      case "recording":
        return await parts.recording(server, options);
    }
  };
}
