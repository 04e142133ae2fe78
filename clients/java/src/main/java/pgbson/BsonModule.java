package pgbson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import org.bson.types.Binary;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Jackson: new ObjectMapper().registerModule(new BsonModule()) prints a PGbson as the document that it holds, and in a
 * document an ObjectId as its digits, a Decimal128 as a number and a Binary as base64; it reads a PGbson from Extended JSON.
 */
public class BsonModule extends SimpleModule {
    private static final long serialVersionUID = 1;

    private interface Write<T> { void write(T value, JsonGenerator to, SerializerProvider provider) throws IOException; }

    private <T> void add(Class<T> type, Write<T> write) {
        addSerializer(type, new JsonSerializer<T>() {
            @Override public void serialize(T value, JsonGenerator to, SerializerProvider provider) throws IOException { write.write(value, to, provider); }
        });
    }

    @SuppressWarnings("this-escape")
    public BsonModule() {
        super("pg-bson");
        add(PGbson.class, (value, to, provider) -> provider.defaultSerializeValue(value.value(), to));
        add(ObjectId.class, (value, to, provider) -> to.writeString(value.toHexString()));
        add(Binary.class, (value, to, provider) -> to.writeBinary(value.getData()));
        add(Decimal128.class, (value, to, provider) -> {
            if (value.isNaN() || value.isInfinite())
                to.writeString(value.toString());
            else
                to.writeNumber(value.toString());
        });
        addDeserializer(PGbson.class, new StdDeserializer<PGbson>(PGbson.class) {
            private static final long serialVersionUID = 1;

            @Override public PGbson deserialize(JsonParser from, DeserializationContext context) throws IOException {
                PGbson value = new PGbson();
                value.setValue(context.readTree(from).toString());
                value.bytes();
                return value;
            }
        });
    }
}
