// The binary format: java Binary.java [HOST:PORT [MODEL]]. Java 17, no library.
import java.io.*;
import java.net.Socket;
import java.nio.*;
import java.nio.charset.StandardCharsets;

class Binary {
    static ByteBuffer ask(DataOutputStream out, DataInputStream in, ByteBuffer body) throws IOException {
        out.writeInt(Integer.reverseBytes(body.position())); // everything is little-endian
        out.write(body.array(), 0, body.position());
        out.flush();
        byte[] reply = in.readNBytes(Integer.reverseBytes(in.readInt()));
        if (reply[0] != 0) throw new IOException(new String(reply, 8, reply.length - 8, StandardCharsets.UTF_8));
        return ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
    }

    static ByteBuffer body(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static void main(String[] args) throws IOException {
        String[] at = (args.length > 0 ? args[0] : "127.0.0.1:5601").split(":");
        byte[] model = (args.length > 1 ? args[1] : "").getBytes(StandardCharsets.UTF_8);
        try (var socket = new Socket(at[0], Integer.parseInt(at[1]))) {
            socket.setTcpNoDelay(true);
            var out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            var hello = body(8 + model.length).put("LNS1".getBytes());
            hello.putShort((short) model.length).put(model).putShort((short) 0); // no token
            int features = ask(out, in, hello).getInt(12);
            var request = body(16 + 4 * features);
            request.put((byte) 1).put((byte) 0).putShort((short) 0); // decide, nothing more, no flags
            request.putInt(42).putInt(0).putInt(features); // id, session
            for (int i = 0; i < features; i++) request.putFloat((float) (i * 0.1));
            var reply = ask(out, in, request);
            int heads = reply.getShort(2);
            var text = new StringBuilder("action");
            for (int h = 0; h < heads; h++) text.append(' ').append(reply.getShort(12 + 2 * h) & 0xffff);
            System.out.println(text);
        }
    }
}
