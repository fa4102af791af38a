//! The graph as a file: the messages of ONNX by their field numbers (onnx.proto, IR version 8).

use std::collections::BTreeMap;

use super::graph::{Attribute, Constant, Dim, Graph, Node, Value, type_number};
use crate::model::ExchangeError;
use crate::protobuf::Message;

/// What reads opset 17 reads this version of the file's own structure.
const IR_VERSION: i64 = 8;
/// Of 2022: onnxruntime since 1.12 and all later ones, tract, and the converters of other runtimes.
pub const OPSET: i64 = 17;
/// Readers of protocol buffers refuse more.
const MOST_BYTES: usize = (1 << 31) - 1;

/// Writes a model.
pub fn bytes(
    graph: &Graph,
    name: &str,
    about: &str,
    metadata: &BTreeMap<String, String>,
) -> Result<Vec<u8>, ExchangeError> {
    let mut model = Message::default();
    model.int(1, IR_VERSION);
    model.text(2, "lanista");
    model.text(3, env!("CARGO_PKG_VERSION"));
    model.int(5, 1);
    model.text(6, about);
    model.message(7, |m| write_graph(m, graph, name));
    model.message(8, |m| {
        m.text(1, "");
        m.int(2, OPSET);
    });
    for (key, value) in metadata {
        model.message(14, |m| {
            m.text(1, key);
            m.text(2, value);
        });
    }
    let bytes = model.into_bytes();
    match bytes.len() {
        len if len > MOST_BYTES => Err(ExchangeError::TooLarge { bytes: len, most: MOST_BYTES }),
        _ => Ok(bytes),
    }
}

fn write_graph(message: &mut Message, graph: &Graph, name: &str) {
    for node in &graph.nodes {
        message.message(1, |m| write_node(m, node));
    }
    message.text(2, name);
    for constant in &graph.constants {
        message.message(5, |m| write_tensor(m, constant));
    }
    for (value, about) in &graph.inputs {
        message.message(11, |m| write_value(m, value, about));
    }
    for (value, about) in &graph.outputs {
        message.message(12, |m| write_value(m, value, about));
    }
    let results: Vec<&str> = graph.outputs.iter().map(|(value, _)| value.name.as_str()).collect();
    for node in graph.nodes.iter().filter(|node| !results.contains(&node.output.name.as_str())) {
        message.message(13, |m| write_value(m, &node.output, ""));
    }
}

fn write_node(message: &mut Message, node: &Node) {
    node.inputs.iter().for_each(|input| message.text(1, input));
    message.text(2, &node.output.name);
    message.text(3, &node.output.name);
    message.text(4, node.operator);
    for attribute in &node.attributes {
        message.message(5, |m| match attribute {
            Attribute::Int(name, value) => {
                m.text(1, name);
                m.int(3, *value);
                m.int(20, 2);
            }
            Attribute::Ints(name, values) => {
                m.text(1, name);
                values.iter().for_each(|&value| m.int(8, value));
                m.int(20, 7);
            }
        });
    }
}

fn write_tensor(message: &mut Message, constant: &Constant) {
    let value = &constant.value;
    for dim in &value.shape {
        if let Dim::Fixed(n) = dim {
            message.int(1, *n as i64);
        }
    }
    message.int(2, type_number(value.kind));
    message.text(8, &value.name);
    message.bytes(9, &constant.bytes);
}

fn write_value(message: &mut Message, value: &Value, about: &str) {
    message.text(1, &value.name);
    message.message(2, |m| {
        m.message(1, |tensor| {
            tensor.int(1, type_number(value.kind));
            tensor.message(2, |shape| {
                for dim in &value.shape {
                    shape.message(1, |m| match dim {
                        Dim::Fixed(n) => m.int(1, *n as i64),
                        Dim::Batch => m.text(2, "batch"),
                    });
                }
            });
        });
    });
    if !about.is_empty() {
        message.text(3, about);
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::Kind;
    use super::*;

    #[test]
    fn a_value_is_written_as_by_hand() {
        let mut message = Message::default();
        let shape = vec![Dim::Batch, Dim::Fixed(3)];
        write_value(&mut message, &Value { name: "x".into(), kind: Kind::Float, shape }, "why");
        let shape = b"\x0a\x07\x12\x05batch\x0a\x02\x08\x03";
        let mut tensor = vec![0x08, 0x01, 0x12, shape.len() as u8];
        tensor.extend(shape);
        let mut kind = vec![0x0a, tensor.len() as u8];
        kind.extend(tensor);
        let mut expected = b"\x0a\x01x\x12".to_vec();
        expected.push(kind.len() as u8);
        expected.extend(kind);
        expected.extend(b"\x1a\x03why");
        assert_eq!(message.into_bytes(), expected);
    }

    #[test]
    fn a_tensor_is_written_as_by_hand() {
        let mut message = Message::default();
        let value =
            Value { name: "w".into(), kind: Kind::Bool, shape: vec![Dim::Fixed(1), Dim::Fixed(2)] };
        write_tensor(&mut message, &Constant { value, bytes: vec![1, 0] });
        let expected = [8, 1, 8, 2, 0x10, 9, 0x42, 1, b'w', 0x4a, 2, 1, 0];
        assert_eq!(message.into_bytes(), expected);
    }
}
