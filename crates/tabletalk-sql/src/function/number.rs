//! Functions of our own.

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::array::{Array, ArrayRef, Datum, Float64Array, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::{Arc, LazyLock};
use tabletalk_core::value;

/// `to_number(text)`: the number that a text says, null where it says none; a number stays as it is.
pub(crate) fn to_number() -> Arc<ScalarUDF> {
    static FUNCTION: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
        Arc::new(ScalarUDF::new_from_impl(ToNumber(Signature::any(1, Volatility::Immutable))))
    });
    FUNCTION.clone()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ToNumber(Signature);

impl ScalarUDFImpl for ToNumber {
    fn name(&self) -> &str {
        "to_number"
    }
    fn signature(&self) -> &Signature {
        &self.0
    }
    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        Ok(match arg_types.first() {
            Some(t) if t.is_numeric() => t.clone(),
            _ => DataType::Float64,
        })
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let array = first(&args)?;
        match array.data_type() {
            t if t.is_numeric() => Ok(ColumnarValue::Array(array)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let texts = cast(&array, &DataType::Utf8View)?;
                let numbers = texts.as_string_view().iter().map(|t| value::number(t?).map(|n| n.value));
                Ok(ColumnarValue::Array(Arc::new(numbers.collect::<Float64Array>())))
            }
            DataType::Boolean => Ok(ColumnarValue::Array(cast(&array, &DataType::Float64)?)),
            DataType::Null => Ok(ColumnarValue::Array(Arc::new(Float64Array::new_null(array.len())))),
            other => exec_err!("a value of type {other} is not a number"),
        }
    }
}

fn first(args: &ScalarFunctionArgs) -> Result<ArrayRef> {
    match args.args.first() {
        Some(arg) => arg.to_array(args.number_rows),
        None => exec_err!("no argument"),
    }
}

/// `a || b || c`: null where one of them is null.
pub(crate) mod join_texts {
    use super::*;

    /// The name under which statements do not know it.
    pub(crate) const NAME: &str = "join_texts";

    /// The function.
    pub(crate) fn function() -> Arc<ScalarUDF> {
        static FUNCTION: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
            let texts = Signature::variadic(vec![DataType::Utf8View], Volatility::Immutable);
            Arc::new(ScalarUDF::new_from_impl(JoinTexts(texts)))
        });
        FUNCTION.clone()
    }

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct JoinTexts(Signature);

    impl ScalarUDFImpl for JoinTexts {
        fn name(&self) -> &str {
            NAME
        }
        fn signature(&self) -> &Signature {
            &self.0
        }
        fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
            Ok(DataType::Utf8View)
        }
        fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
            let rows = args.number_rows;
            let parts: Vec<ArrayRef> =
                args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<_>>()?;
            let parts: Vec<&StringViewArray> = parts.iter().map(|part| part.as_string_view()).collect();
            let part =
                |array: &&StringViewArray, row| array.is_valid(row).then(|| array.value(row).to_owned());
            let joined =
                (0..rows).map(|row| parts.iter().map(|array| part(array, row)).collect::<Option<String>>());
            Ok(ColumnarValue::Array(Arc::new(joined.collect::<StringViewArray>())))
        }
    }
}

/// Passes a text on, unless it is too long to be carried along.
pub(crate) mod short_text {
    use super::*;
    use crate::function::bounded::VALUE;

    /// The name under which statements do not know it: the walk of names puts it in.
    pub(crate) const NAME: &str = "short_text";

    /// The function.
    pub(crate) fn function() -> Arc<ScalarUDF> {
        static FUNCTION: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
            let signature = Signature::exact(vec![DataType::Utf8View], Volatility::Immutable);
            Arc::new(ScalarUDF::new_from_impl(ShortText(signature)))
        });
        FUNCTION.clone()
    }

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct ShortText(Signature);

    impl ScalarUDFImpl for ShortText {
        fn name(&self) -> &str {
            NAME
        }
        fn signature(&self) -> &Signature {
            &self.0
        }
        fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
            Ok(DataType::Utf8View)
        }
        fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
            let array = first(&args)?;
            let too_long = array.as_string_view().lengths().any(|n| n as usize > VALUE);
            match too_long {
                true => Err(datafusion::common::DataFusionError::ResourcesExhausted(
                    "string_agg makes texts that are too long".into(),
                )),
                false => Ok(ColumnarValue::Array(array)),
            }
        }
    }
}

/// `text LIKE pattern`, where one of them is computed: made of what can be bounded.
pub(crate) mod is_like {
    use super::*;
    use datafusion::arrow::compute::kernels::comparison::{ilike, like};

    /// The name under which statements do not know it: the walk of names puts it in.
    pub(crate) const NAME: &str = "is_like";

    /// The function. A third argument says whether large and small letters are the same.
    pub(crate) fn function() -> Arc<ScalarUDF> {
        static FUNCTION: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
            let types = vec![DataType::Utf8View, DataType::Utf8View, DataType::Boolean];
            Arc::new(ScalarUDF::new_from_impl(IsLike(Signature::exact(types, Volatility::Immutable))))
        });
        FUNCTION.clone()
    }

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct IsLike(Signature);

    impl ScalarUDFImpl for IsLike {
        fn name(&self) -> &str {
            NAME
        }
        fn signature(&self) -> &Signature {
            &self.0
        }
        fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
            Ok(DataType::Boolean)
        }
        fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
            let [text, pattern, same_case] = args.args.as_slice() else {
                return exec_err!("LIKE compares a text with a pattern");
            };
            let text = text.to_array(args.number_rows)?;
            let ignores = matches!(same_case, ColumnarValue::Scalar(ScalarValue::Boolean(Some(true))));
            let compare =
                |pattern: &dyn Datum| if ignores { ilike(&text, pattern) } else { like(&text, pattern) };
            let holds = match pattern {
                ColumnarValue::Array(each) => compare(each),
                ColumnarValue::Scalar(one) => compare(&one.to_scalar()?),
            };
            Ok(ColumnarValue::Array(Arc::new(holds?)))
        }
    }
}
